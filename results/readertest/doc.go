// Package readertest runs, for tests, the programs with which people read tables:
// DuckDB, Polars, hyparquet and pandas, and what reads the layout of MLflow.
//
// They share no code with mpf, so what they see is what others will see. The
// package deliberately judges nothing: tests compare what the programs print.
package readertest
