package parquet

import (
	"bytes"
	"testing"

	"mpf/results/columns"
)

func TestFeatherComesBack(t *testing.T) {
	for _, n := range []int{0, 1, featherBatch + 10} {
		fields, vectors := everything(n)
		var out bytes.Buffer
		done, err := WriteFeather(&out, fields, vectors, []KeyValue{{"key", "value"}})
		if err != nil || done.Size != int64(out.Len()) || done.Rows != int64(n) {
			t.Fatalf("%+v, %v", done, err)
		}
		back, values, err := ReadFeather(bytes.NewReader(out.Bytes()))
		if err != nil || len(back) != len(fields) {
			t.Fatal(err)
		}
		for i, v := range values {
			if fields[i].Type == columns.List {
				v.AsLists()
			}
			if !same(v, vectors[i]) {
				t.Errorf("%d rows: column %q differs", n, fields[i].Name)
			}
		}
	}
}

func TestNoFailedWriteOfFeatherGoesUnseen(t *testing.T) {
	fields, vectors := everything(100)
	for writes := 0; ; writes++ {
		sink := failing{n: writes}
		_, err := WriteFeather(&sink, fields, vectors, nil)
		if sink.n >= 0 {
			if err != nil {
				t.Fatalf("clean pass: %v", err)
			}
			return
		}
		if err == nil {
			t.Errorf("write %d failed, and nothing was said", writes)
		}
	}
}
