// Package amount writes numbers, times and sizes as mpf shows them to people.
//
// Invariant: what is shown of an amount has its noun or its unit. It deliberately
// says nothing else: sentences lie with who says them.
package amount
