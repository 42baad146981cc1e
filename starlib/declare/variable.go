package declare

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/act"
	"mpf/starlib/convert"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// maxLevels bounds a variable before its levels are made.
const maxLevels = 100_000

// A variableDecl is a variable whose conditions are still names.
type variableDecl struct {
	engine.Variable
	levels   []starlark.Value // as the script gave them
	labelled bool
	when     *starlark.Dict
}

func variableBuiltins() []builtin {
	return []builtin{{script.Doc{
		Signature: `variable(name, levels, when = None, unit = "", hard_to_change = False, names = None)`,
		Text:      "Something that the experiment varies: levels are a list, a range or a dict label -> value; it exists where `when`, a dict variable -> level or list of levels, holds, and is None elsewhere; the order changes the level of a `hard_to_change` variable as rarely as it can; `names` says that levels are \"hosts\", \"roles\" or \"links\".",
		When:      atLoad,
		Checks:    "names and labels are unique; values are None, bool, int, float, string or lists of these, others need a label; no two levels are equal, so 1 and 1.0 are refused together; NaN is refused; when may name variables that are declared later",
		Error:     "`a.star:6:9: variable \"scheduler\": \"variant\" has no level \"mptpc\" (did you mean \"mptcp\"?)`",
	}, (*Declarations).declareVariable}, {script.Doc{
		Signature: "linked(names, rows = None)",
		Text:      "Ties variables together: they take their levels row by row, or, without rows, the first with the first, the second with the second.",
		When:      atLoad,
		Checks:    "each row has one level of each variable; without rows all have equally many levels; a variable is linked once",
		Error:     "`a.star:9:7: linked: row 2 has 1 level, want 2: one for each variable`",
	}, (*Declarations).declareLinked}, {script.Doc{
		Signature: "exclude(predicate)",
		Text:      "Removes the treatments for which the predicate, a function of the variables that its parameters name, returns True.",
		When:      atLoad,
		Checks:    "every parameter is a variable or has a default; the predicate becomes read-only; it is called with None where a variable does not exist, must return True or False, and is bounded in steps",
		Error:     "`a.star:8:16: exclude: \"parallell\" is no variable (did you mean \"parallel\"?)`",
	}, (*Declarations).declareExclusion}, {script.Doc{
		Signature: `sample(n, method = "random")`,
		Text:      "Takes a seeded part of the treatments: \"random\" without replacement, \"latin\" hypercube, \"pairwise\" (every pair of levels occurs; n may be 0), \"maximin\" or \"wsp\" (space-filling). A space of any size is counted exactly and can be sampled; a design of more runs than 64 bits can number is refused.",
		When:      atLoad + ", once",
		Checks:    "n is positive, or 0 with \"pairwise\"; the method exists",
		Error:     "`a.star:9:7: sample: method = \"pairs\" (did you mean \"pairwise\"?)`",
	}, (*Declarations).declareSample}}
}

func (d *Declarations) declareVariable(c *script.Call) (starlark.Value, error) {
	var name, unit convert.Text
	var levels starlark.Value
	var when *starlark.Dict
	var hard bool
	var names namingArg
	err := c.Unpack("name", &name, "levels", &levels, "when??", &when, "unit?", &unit, "hard_to_change?", &hard, "names??", &names)
	if err != nil && name == "" {
		return nil, err
	}
	if err != nil {
		d.Note(c.Pos(), err)
	}
	v := &variableDecl{when: when, Variable: engine.Variable{
		Name: string(name), Unit: string(unit), HardToChange: hard, Names: engine.Naming(names), Pos: c.Pos(),
	}}
	for _, err := range []error{naming.Identifier("variable", string(name)), naming.Column("variable", string(name))} {
		if err != nil {
			d.Note(c.Pos(), err)
		}
	}
	if err := d.claim("variable", string(name), c.Pos()); err != nil {
		return nil, err
	}
	d.variables = append(d.variables, v)
	if levels == nil {
		return nil, nil
	}
	if err := v.fill(levels); err != nil {
		return nil, script.Problemf("variable %q: %s", name, problemText(err)).Mend("%s", problemHint(err))
	}
	for _, err := range v.checkLevels() {
		d.Note(c.Pos(), err)
	}
	if v.labelled && v.Names != engine.NamesNothing {
		return nil, script.Problemf("variable %q: labels would hide what its levels name", name).Mend("write a list without labels")
	}
	return nil, nil
}

func problemText(err error) string {
	if p, ok := err.(*script.Problem); ok {
		return p.Message
	}
	return err.Error()
}

func problemHint(err error) string {
	if p, ok := err.(*script.Problem); ok {
		return p.Hint
	}
	return ""
}

// A namingArg is a parameter that says what levels name.
type namingArg engine.Naming

func (n *namingArg) Unpack(v starlark.Value) error {
	text, _ := starlark.AsString(v)
	switch text {
	case "hosts":
		*n = namingArg(engine.NamesHosts)
	case "roles":
		*n = namingArg(engine.NamesRoles)
	case "links":
		*n = namingArg(engine.NamesLinks)
	default:
		return fmt.Errorf(`got %s, want "hosts", "roles" or "links"`, v)
	}
	return nil
}

// fill takes the levels of a list, a range or a dict.
func (v *variableDecl) fill(levels starlark.Value) error {
	if n := starlark.Len(levels); n > maxLevels {
		return fmt.Errorf("%d levels, the most is %d", n, maxLevels)
	}
	switch levels := levels.(type) {
	case *starlark.Dict:
		v.labelled = true
		for _, item := range levels.Items() {
			if err := v.addLabelled(item[0], item[1]); err != nil {
				return err
			}
		}
	case starlark.Sequence:
		for level := range starlark.Elements(levels) {
			if err := v.add(level); err != nil {
				return err
			}
		}
	default:
		return script.Problemf("levels are %s", levels.Type()).Mend("write a list, a range or a dict label -> value")
	}
	if len(v.Levels) == 0 {
		return script.Problemf("no levels").Mend("give it at least one, or remove it")
	}
	return nil
}

func (v *variableDecl) addLabelled(label, value starlark.Value) error {
	plainLabel, err := convert.Plain(label)
	if err != nil || label == starlark.None {
		return script.Problemf("label %s: got %s, want string", label, label.Type())
	}
	text := engine.FormatValue(plainLabel)
	if strings.IndexFunc(text, unicode.IsControl) >= 0 {
		return fmt.Errorf("label %q holds a control character", text)
	}
	plain, err := v.plainLevel(value)
	if err != nil {
		value.Freeze()
		plain = value
	}
	v.append(text, plain, value)
	return nil
}

func (v *variableDecl) add(value starlark.Value) error {
	plain, err := v.plainLevel(value)
	if err != nil {
		return script.Problemf("level %s: %v", short(value), err).Mend(`give it a label: {"label": value}`)
	}
	v.append(engine.FormatValue(plain), plain, value)
	return nil
}

// plainLevel converts a level. A role stands for its name.
func (v *variableDecl) plainLevel(value starlark.Value) (engine.Value, error) {
	if named, ok := value.(act.Named); ok {
		v.Names = engine.NamesRoles
		return named.RoleName(), nil
	}
	return convert.Plain(value)
}

func (v *variableDecl) append(label string, plain engine.Value, original starlark.Value) {
	v.Levels = append(v.Levels, engine.Level{Label: label, Value: plain})
	v.levels = append(v.levels, original)
}

// short writes a value of a script in a message.
func short(v starlark.Value) string {
	const most = 60
	switch v := v.(type) {
	case starlark.String:
		if len(v) > most {
			return fmt.Sprintf("%q...", string(v[:most]))
		}
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
	default:
		return v.Type()
	}
	return v.String()
}

// checkLevels finds labels that are given twice and values that are equal.
func (v *variableDecl) checkLevels() []error {
	var errs []error
	labels := map[string]int{}
	values := starlark.NewDict(len(v.levels))
	for i, level := range v.Levels {
		if f, ok := level.Value.(float64); ok && math.IsNaN(f) {
			errs = append(errs, script.Problemf("variable %q: NaN cannot be a level: it equals nothing", v.Name).Mend("remove it, or write a string"))
			continue
		}
		first, equal := v.equalBefore(values, i)
		switch other, twice := labels[level.Label]; {
		case equal && v.Levels[first].Label != level.Label && !v.labelled:
			errs = append(errs, script.Problemf("variable %q: levels %s and %s are equal", v.Name, v.levels[first], v.levels[i]).
				Mend("write all numbers of a variable as ints, or all as floats"))
		case twice && !v.labelled && !equal:
			errs = append(errs, script.Problemf("variable %q: levels %d and %d have one label, %q", v.Name, other+1, i+1, level.Label).
				Mend(`give them labels of their own: {"label": value, ...}`))
		case twice:
			errs = append(errs, script.Problemf("variable %q: level %q is given twice", v.Name, level.Label).Mend("remove one of them"))
		}
		if _, seen := labels[level.Label]; !seen {
			labels[level.Label] = i
		}
	}
	return errs
}

// equalBefore finds an earlier level that equals the i-th. Lists count as
// tuples; what cannot be hashed equals nothing.
func (v *variableDecl) equalBefore(values *starlark.Dict, i int) (int, bool) {
	key := hashable(v.levels[i])
	if first, found, err := values.Get(key); err == nil && found {
		n, _ := starlark.AsInt32(first)
		return n, true
	}
	// What cannot be a key stays out.
	_ = values.SetKey(key, starlark.MakeInt(i))
	return 0, false
}

func hashable(v starlark.Value) starlark.Value {
	list, ok := v.(*starlark.List)
	if !ok {
		return v
	}
	items := make(starlark.Tuple, list.Len())
	for i := range items {
		items[i] = list.Index(i)
	}
	return items
}

// level returns the index of the level that a condition or a row means, or -1:
// by label where the variable has labels, else by value.
func (v *variableDecl) level(want starlark.Value) int {
	if text, ok := starlark.AsString(want); ok && v.labelled {
		for i, level := range v.Levels {
			if level.Label == text {
				return i
			}
		}
	}
	if named, ok := want.(act.Named); ok {
		want = starlark.String(named.RoleName())
	}
	for i, level := range v.levels {
		if named, ok := level.(act.Named); ok {
			level = starlark.String(named.RoleName())
		}
		if equal, err := starlark.EqualDepth(level, want, maxCompare); err == nil && equal {
			return i
		}
	}
	return -1
}

// maxCompare bounds how deep levels are compared.
const maxCompare = 32

// labels lists the labels of the levels.
func (v *variableDecl) labels() []string {
	labels := make([]string, len(v.Levels))
	for i, level := range v.Levels {
		labels[i] = level.Label
	}
	return labels
}
