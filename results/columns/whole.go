package columns

import "slices"

// AsLists makes lists of the texts: a file tells the two apart by its metadata
// alone.
func (v *Vector) AsLists() {
	if v.kind == KindText {
		v.kind = KindList
	}
	for i, k := range v.kinds {
		if k == KindText {
			v.kinds[i] = KindList
		}
	}
}

// Constant reports whether all values are the same.
func (v *Vector) Constant() bool {
	if len(v.words) == 0 {
		return true
	}
	for i := 1; i < v.n; i++ {
		if v.Kind(i) != v.Kind(0) || v.words[i] != v.words[0] && (v.Text(0) == "" || v.Text(i) != v.Text(0)) {
			return false
		}
	}
	return true
}

// Empty reports whether all values are null.
func (v *Vector) Empty() bool {
	for _, k := range v.kinds {
		if k != KindNull {
			return false
		}
	}
	return v.n == 0 || len(v.kinds) > 0 || v.kind == KindNull
}

// Clear makes v empty and keeps its room.
func (v *Vector) Clear() {
	clear(v.texts)
	*v = Vector{kinds: v.kinds[:0], words: v.words[:0], texts: v.texts[:0]}
}

// Pad appends nulls until there are n values.
func (v *Vector) Pad(n int) {
	if v.n < n {
		v.repeat(KindNull, 0, n-v.n)
	}
}

// Grow says that n more values will come.
func (v *Vector) Grow(n int) {
	v.room = v.n + n
	if len(v.words) > 0 {
		v.words = slices.Grow(v.words, n)
	}
	if len(v.kinds) > 0 {
		v.kinds = slices.Grow(v.kinds, n)
	}
}

// Extend appends the values of w.
func (v *Vector) Extend(w *Vector) {
	if w.n == 0 {
		return
	}
	places := make([]uint64, len(w.texts))
	for i, text := range w.texts {
		places[i] = v.place(text)
	}
	word := func(i int) uint64 {
		if w.isText(i) {
			return places[w.bits(i)]
		}
		return w.bits(i)
	}
	if len(w.words) == 0 {
		v.repeat(w.kind, word(0), w.n)
		return
	}
	if v.room < v.n+w.n {
		v.Grow(w.n)
	}
	for i := range w.n {
		v.add(w.Kind(i), word(i))
	}
}

// Pick returns the values at the places given, in that order.
func (v *Vector) Pick(places []int) *Vector {
	w := &Vector{n: len(places), kind: v.kind, word: v.word, texts: v.texts[:len(v.texts):len(v.texts)]}
	if len(v.words) > 0 && w.n > 0 {
		w.words = make([]uint64, w.n)
		for i, p := range places {
			w.words[i] = v.words[p]
		}
	}
	if len(v.kinds) > 0 && w.n > 0 {
		w.kinds = make([]Kind, w.n)
		for i, p := range places {
			w.kinds[i] = v.kinds[p]
		}
	}
	return w
}

// Nulls returns a vector of n nulls.
func Nulls(n int) *Vector {
	v := &Vector{}
	v.Pad(n)
	return v
}
