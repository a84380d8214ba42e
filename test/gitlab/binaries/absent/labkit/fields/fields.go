// Package fields stands in for the names of log fields.
package fields

type Replacement struct{ Standard string }

const (
	DurationS      = "duration_s"
	HTTPStatusCode = "status"
)

var (
	Deprecated     map[string]Replacement
	VariantVersion map[string]int
)
