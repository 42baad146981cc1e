package engine

// A Variable is something that an experiment varies.
type Variable struct {
	Name         string
	Levels       []Level
	When         []Condition // all must hold for the variable to exist
	Unit         string
	HardToChange bool // its level changes as rarely as the order allows
	Names        Naming
	Pos          Pos
}

// A Level is one value of a variable with its printable label. Labels are
// unique within a variable.
type Level struct {
	Label string
	Value Value
}

// A Condition holds where a variable has one of the levels listed. Both are
// indices: of Experiment.Variables, and of that variable's Levels.
type Condition struct {
	Variable int
	Levels   []int
}

// Naming says what the levels of a variable name beside themselves.
type Naming int

const (
	NamesNothing Naming = iota // levels are only values
	NamesHosts                 // levels are hosts of the cluster
	NamesRoles                 // levels are roles of the experiment
	NamesLinks                 // levels are links of the cluster
)

// Linked ties variables together: they take their levels row by row.
// Rows[r][i] is a level index of Variables[i].
type Linked struct {
	Variables []int
	Rows      [][]int
	Pos       Pos
}

// An Exclusion removes treatments. Excludes gets the values of Variables in
// their order, nil where a variable is absent, and must depend on them alone.
// It is called from several goroutines.
type Exclusion struct {
	Variables []int
	Excludes  func(values []Value) (bool, error)
	Pos       Pos
}
