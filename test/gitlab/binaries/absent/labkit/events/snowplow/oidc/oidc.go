// Package oidc stands in for tokens of a cloud: there are none.
package oidc

type Source struct{}

type Option struct{}

func NewSource(...Option) *Source { return nil }

func WithSkipIfUnsupportedCloud(bool) Option { return Option{} }
