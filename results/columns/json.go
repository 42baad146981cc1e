package columns

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"mpf/engine"
)

// AppendJSON appends a plain value as strict JSON from which ParseJSON gets the
// same value of the same type: a float always has a point or an exponent, an
// int never, and what JSON cannot say is {"float":"NaN"}.
func AppendJSON(b []byte, v engine.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(append(append(b, `{"float":"`...), engine.FormatFloat(v)...), `"}`...)
		}
		return append(b, engine.FormatFloat(v)...)
	case []engine.Value:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, item)
		}
		return append(b, ']')
	}
	return appendText(b, engine.FormatValue(v))
}

func appendText(b []byte, text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// ParseJSON reads what AppendJSON wrote.
func ParseJSON(data []byte) (engine.Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("value %q: not JSON", data)
	}
	return fromJSON(v)
}

func fromJSON(v any) (engine.Value, error) {
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case json.Number:
		return number(v.String())
	case []any:
		items := make([]engine.Value, len(v))
		for i, item := range v {
			var err error
			if items[i], err = fromJSON(item); err != nil {
				return nil, err
			}
		}
		return items, nil
	case map[string]any:
		if text, ok := v["float"].(string); ok && len(v) == 1 {
			return strconv.ParseFloat(text, 64)
		}
	}
	return nil, fmt.Errorf("value %v: not a plain value", v)
}

func number(text string) (engine.Value, error) {
	if strings.ContainsAny(text, ".eE") {
		return strconv.ParseFloat(text, 64)
	}
	return strconv.ParseInt(text, 10, 64)
}
