// Package exact writes Go values as JSON of one exact form and reads that form
// and no other.
//
//	Struct   the form of a type: its fields in their order, in snake case
//	Decoder  reads what was written, from text that holds more than that
//
// Fields that are zero and functions are left out; there are no spaces.
// Integers beyond 2^53, which many readers round, are texts. An engine.Value
// is written under a tag that says its type: {"i":"17"}, {"f":"0.1"}, {"s":"x"},
// {"b":true}, {"l":[...]}, null.
//
// Invariant: what is read back equals what was written, and is written again as
// the same bytes.
//
// It deliberately accepts no JSON that others wrote, and does without
// encoding/json, which is slower by far and takes what it does not know.
package exact
