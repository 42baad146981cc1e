"""Checks that pandas restores the index and the types of a runs table.

    python3 pandas_check.py runs.parquet

It needs pandas and pyarrow.
"""

import json
import sys

import pandas
import pyarrow.parquet

path = sys.argv[1]
meta = pyarrow.parquet.read_schema(path).metadata
described = json.loads(meta[b"mpf.columns"])
variables = [c["name"] for c in described if c["role"] == "variable"]
frame = pandas.read_parquet(path)
if variables:
    assert list(frame.index.names) == variables, (frame.index.names, variables)
kinds = {"bool": "boolean", "int": "Int64", "float": "float64", "time": "datetime64"}
for column in described:
    if column["name"] in variables or column["type"] not in kinds:
        continue
    have = str(frame.dtypes[column["name"]])
    assert have.startswith(kinds[column["type"]]), (column["name"], have)
print(f"{len(frame)} rows, index {variables}: as they should be")
