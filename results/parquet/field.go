package parquet

import (
	apache "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"mpf/results/columns"
)

// A Field is a column of a file.
type Field struct {
	Name     string
	Type     columns.Type
	Distinct bool // nearly every row has a value of its own: no dictionary
}

// node returns the field's place in a schema. Every field may be null.
func (f Field) node() (schema.Node, error) {
	var logical schema.LogicalType = schema.NoLogicalType{}
	var physical apache.Type
	switch f.Type {
	case columns.Bool:
		physical = apache.Types.Boolean
	case columns.Int:
		physical = apache.Types.Int64
	case columns.Float:
		physical = apache.Types.Double
	case columns.Time:
		physical = apache.Types.Int64
		logical = schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
	default:
		physical = apache.Types.ByteArray
		logical = schema.StringLogicalType{}
	}
	return schema.NewPrimitiveNodeLogical(f.Name, apache.Repetitions.Optional, logical, physical, -1, -1)
}

// root is Required: some readers take an optional one for a struct.
func root(fields []Field) (*schema.GroupNode, error) {
	nodes := make(schema.FieldList, len(fields))
	for i, f := range fields {
		var err error
		if nodes[i], err = f.node(); err != nil {
			return nil, err
		}
	}
	return schema.NewGroupNode("schema", apache.Repetitions.Required, nodes, -1)
}

func (f Field) dictionary() bool {
	return !f.Distinct && f.Type != columns.Bool
}

func (f Field) encoding() apache.Encoding {
	switch {
	case f.Type == columns.Int || f.Type == columns.Time:
		return apache.Encodings.DeltaBinaryPacked
	case f.Type == columns.String && f.Distinct:
		return apache.Encodings.DeltaLengthByteArray
	}
	return apache.Encodings.Plain
}

// properties are the library's settings for a file of these fields.
func properties(fields []Field, codec compress.Compression) *apache.WriterProperties {
	options := []apache.WriterProperty{
		apache.WithVersion(apache.V2_6),
		apache.WithDataPageVersion(apache.DataPageV1),
		apache.WithCompression(codec),
		apache.WithCreatedBy(creator),
		apache.WithRootRepetition(apache.Repetitions.Required),
		apache.WithDictionaryDefault(false),
	}
	for _, f := range fields {
		if f.dictionary() {
			options = append(options, apache.WithDictionaryFor(f.Name, true))
		} else {
			options = append(options, apache.WithEncodingFor(f.Name, f.encoding()))
		}
		if f.Distinct && f.Type == columns.String {
			options = append(options, apache.WithStatsFor(f.Name, false))
		}
	}
	return apache.NewWriterProperties(options...)
}
