// Package value stands in for the values of expressions: whatever JSON has.
package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

type Kind string

const (
	ArrayKind  Kind = "array"
	BoolKind   Kind = "boolean"
	NullKind   Kind = "null"
	NumberKind Kind = "number"
	ObjectKind Kind = "object"
	StringKind Kind = "string"
)

var (
	ErrAttributeNotFound = errors.New("no such attribute")
	ErrInvalidKey        = errors.New("no valid key")
)

type Mapper interface {
	All() iter.Seq2[Value, Value]
	Attr(name string) (Value, error)
	Get(key Value) (Value, error)
	Keys() iter.Seq[Value]
	Len() int
	Values() iter.Seq[Value]
	WithMarks(marks uint16) Mapper
}

type Value struct {
	json  any
	marks uint16
}

func Null() Value { return Value{} }

func Object(entries Mapper) Value { return Value{json: entries} }

func String(text string) Value { return Value{json: text} }

func (v Value) HasMarks(marks uint16) bool { return v.marks&marks == marks }

func (v Value) WithMarks(marks uint16) Value {
	v.marks |= marks
	return v
}

func (v Value) String() string { return fmt.Sprint(v.json) }

func (v *Value) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &v.json) }

func (v Value) Kind() Kind {
	kinds := map[string]Kind{"<nil>": NullKind, "string": StringKind, "float64": NumberKind, "bool": BoolKind, "[]interface {}": ArrayKind}
	if kind, known := kinds[fmt.Sprintf("%T", v.json)]; known {
		return kind
	}
	return ObjectKind
}
