// Package parquet writes and reads Parquet, Arrow IPC streams and Feather. It
// is the only room of mpf that knows the arrow library.
//
// A Parquet file is put together from chunks: the encoded values of one column
// in one row group. Encode makes a chunk by itself, so that chunks are made side
// by side, kept, and written again in the next edition of a file in which only
// few rows are new. Equal values give equal bytes.
//
// A sample segment is one Arrow IPC stream with a fixed schema, written while
// readings come in. What cannot be written in time is dropped and counted.
//
// The library may lose errors of its sink and panics on what it does not like.
// Therefore every sink keeps its first error for ever and is asked for it at
// the end, every call into the library is under recover, and a file is opened
// again before it counts (Verify).
//
// It deliberately knows no experiment but engine.Reading, and it never uses the
// library's pqarrow, which drags a network stack in and has lost write errors.
package parquet
