package main

import (
	"mpf/results/columns"
	"mpf/results/query"
)

// where returns the rows for which conditions of the command line hold.
func where(frame columns.Frame, texts []string) (columns.Frame, error) {
	var conditions []query.Condition
	for _, text := range texts {
		c, err := query.ParseCondition(text)
		if err != nil {
			return frame, &usageError{message: err.Error()}
		}
		conditions = append(conditions, c)
	}
	frame, err := query.Where(frame, conditions)
	if err != nil {
		return frame, &usageError{message: err.Error()}
	}
	return frame, nil
}

// arrange sorts rows and chooses columns; without names all of them.
func arrange(frame columns.Frame, sort, names []string) (columns.Frame, error) {
	var err error
	if len(sort) > 0 {
		if frame, err = query.Sort(frame, sort); err != nil {
			return frame, &usageError{message: err.Error()}
		}
	}
	if len(names) > 0 {
		if frame, err = query.Choose(frame, names); err != nil {
			return frame, &usageError{message: err.Error()}
		}
	}
	return frame, nil
}
