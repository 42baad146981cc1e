"""Checks that pandas restores the index and the types of a runs table.

    python3 pandas_check.py runs.parquet   needs pandas and pyarrow
    python3 pandas_check.py runs.json      needs pandas; node read.mjs dump wrote it

Without pyarrow the "pandas" key is held against what pandas documents, and the
frame is made by its rules from values that another reader has read.
"""

import json
import sys

import pandas

LOGICAL = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "datetime", "datetimetz", "timedelta", "unicode", "bytes", "categorical", "object",
}
KINDS = {"bool": "boolean", "int": "Int64", "float": "float64", "time": "datetime64[ns, UTC]", "string": "object", "list": "object"}


def check_key(meta, names):
    """Wants the key to be as pandas documents it."""
    assert set(meta) == {"index_columns", "column_indexes", "columns", "pandas_version", "creator"}, set(meta)
    assert set(meta["creator"]) == {"library", "version"}
    fields = {"name", "field_name", "pandas_type", "numpy_type", "metadata"}
    for column in meta["columns"] + meta["column_indexes"]:
        assert set(column) == fields, column
        assert column["pandas_type"] in LOGICAL, column
        pandas.api.types.pandas_dtype(column["numpy_type"])  # raises where pandas knows none
        if column["pandas_type"] == "datetimetz":
            assert column["metadata"] == {"timezone": "UTC"}, column
    assert [column["field_name"] for column in meta["columns"]] == names
    for index in meta["index_columns"]:
        if isinstance(index, dict):
            assert set(index) == {"kind", "name", "start", "stop", "step"} and index["kind"] == "range", index
        else:
            assert index in names, index


def made(meta, names, rows):
    """Makes the frame that the key describes."""
    data = {}
    for place, column in enumerate(meta["columns"]):
        cells = [row[place] for row in rows]
        data[column["name"]] = series(cells, column)
    frame = pandas.DataFrame(data)
    index = meta["index_columns"]
    if index and isinstance(index[0], dict):
        frame.index = pandas.RangeIndex(index[0]["start"], index[0]["stop"], index[0]["step"], name=index[0]["name"])
        return frame
    return frame.set_index(index)


def series(cells, column):
    if column["pandas_type"] == "datetimetz":
        return pandas.to_datetime(pandas.Series([None if c is None else int(c) for c in cells], dtype="Int64"), unit="us", utc=True)
    if column["pandas_type"] == "int64":
        cells = [None if c is None else int(c) for c in cells]
    if column["pandas_type"] == "float64":
        cells = [None if c is None else float(c) for c in cells]
    return pandas.Series(cells, dtype=column["numpy_type"])


def check_frame(frame, described):
    variables = [c["name"] for c in described if c["role"] == "variable"]
    if variables:
        assert list(frame.index.names) == variables, (frame.index.names, variables)
    for column in described:
        if column["name"] not in variables:
            have = str(frame.dtypes[column["name"]])
            assert have == KINDS[column["type"]], (column["name"], have)
    print(f"{len(frame)} rows, index {variables}: as they should be")


path = sys.argv[1]
if path.endswith(".json"):
    with open(path) as text:
        dump = json.load(text)
    meta = json.loads(dump["metadata"]["pandas"])
    check_key(meta, dump["names"])
    check_frame(made(meta, dump["names"], dump["rows"]), json.loads(dump["metadata"]["mpf.columns"]))
else:
    import pyarrow.parquet

    schema = pyarrow.parquet.read_schema(path)
    check_key(json.loads(schema.metadata[b"pandas"]), schema.names)
    check_frame(pandas.read_parquet(path), json.loads(schema.metadata[b"mpf.columns"]))
