// Package partial chooses part of a space that is too large to exhaust.
package partial
