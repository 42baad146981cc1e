// Package export writes tables in the forms that other programs read, and
// reads a CSV of earlier results into the same tables.
//
//	Write      csv, json, jsonl, parquet or feather
//	MLflow     a file store that MLflow opens as it is
//	ImportCSV  a record made of a CSV
//
// Invariant: what is exported twice is the same bytes, and nulls, empty texts
// and numbers that are none stay apart wherever the form can tell them apart.
//
// It deliberately sends nothing over a network.
package export
