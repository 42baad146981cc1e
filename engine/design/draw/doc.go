// Package draw writes a design as text that people read: a table of its first
// runs, a tree of its treatments, how often each level occurs; as CSV; and its
// diagram in the language of Graphviz.
//
// Whatever the size of the design, what is written is bounded: tables and trees
// stop at a number of lines and say what they leave out.
//
// The package deliberately decides nothing about the design and knows no
// terminal: tables are rows of cells that others lay out.
package draw
