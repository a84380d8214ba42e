// Package ast stands in for parsed expressions.
package ast

type Expr interface {
	Walk(Visitor) (Expr, error)
}

type Visitor interface {
	Enter(Expr) (Visitor, error)
	Exit(Expr) (Expr, error)
}

type Template struct{ Text string }

func (t *Template) Walk(Visitor) (Expr, error) { return t, nil }
