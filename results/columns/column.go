package columns

import (
	"encoding/json"
	"fmt"

	"mpf/engine"
)

// Type is the type of a column in a table.
type Type string

const (
	Bool   Type = "bool"
	Int    Type = "int"
	Float  Type = "float"
	String Type = "string"
	Time   Type = "time" // microseconds, UTC
	List   Type = "list" // JSON text: see AppendJSON
)

// Role says what a column is for.
type Role string

const (
	Identity Role = "identity" // which run it is, and where it stands in the design
	Outcome  Role = "outcome"  // how it ended, and under which circumstances
	Variable Role = "variable"
	Result   Role = "result"
)

// A Column describes one column of a table.
type Column struct {
	Name        string  `json:"name"`
	Type        Type    `json:"type"`
	Role        Role    `json:"role"`
	Unit        string  `json:"unit,omitempty"`
	Better      string  `json:"better,omitempty"` // "higher" or "lower"
	Description string  `json:"description,omitempty"`
	Original    string  `json:"original,omitempty"` // the script's name, where the table could not use it
	Levels      []Level `json:"levels,omitempty"`   // of a variable
	Labelled    bool    `json:"labelled,omitempty"` // the column shows labels: Levels has the values
	Mixed       bool    `json:"mixed,omitempty"`    // values of types that do not join, as text
	Declared    bool    `json:"declared,omitempty"` // of a result
	Distinct    bool    `json:"-"`                  // nearly every row has a value of its own
}

// ScriptName returns the name that the script uses.
func (c Column) ScriptName() string {
	if c.Original != "" {
		return c.Original
	}
	return c.Name
}

// A Level is a label of a variable and the value behind it.
type Level struct {
	Label string
	Value engine.Value
}

type levelJSON struct {
	Label  string          `json:"label"`
	Value  json.RawMessage `json:"value,omitempty"`
	Opaque bool            `json:"opaque,omitempty"` // known by its label alone
}

// MarshalJSON keeps the type of the value.
func (l Level) MarshalJSON() ([]byte, error) {
	if !engine.IsPlain(l.Value) {
		return json.Marshal(levelJSON{Label: l.Label, Opaque: true})
	}
	return json.Marshal(levelJSON{Label: l.Label, Value: AppendJSON(nil, l.Value)})
}

// UnmarshalJSON reads what MarshalJSON wrote. An opaque value becomes its label.
func (l *Level) UnmarshalJSON(data []byte) error {
	var j levelJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	l.Label, l.Value = j.Label, j.Label
	if j.Opaque {
		return nil
	}
	v, err := ParseJSON(j.Value)
	if err != nil {
		return fmt.Errorf("level %q: %w", j.Label, err)
	}
	l.Value = v
	return nil
}
