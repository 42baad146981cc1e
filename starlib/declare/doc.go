// Package declare holds what an experiment file calls while it is loaded:
// experiment, variable, role and the others.
//
// A builtin notes down what it was given and checks what it can see; Resolve
// turns names into indices once the file has ended. So names may be used before
// they are declared, and one mistake hides no other.
//
// Invariant: a builtin never ends a file. It notes the mistake and goes on.
//
// It deliberately neither reads files nor executes steps: packages code and act
// do.
package declare
