// Package addmask stands in for the masking of phrases that a job names while it runs: the writers stay as they are.
package addmask

import "io"

type Store interface {
	Add(phrase string) error
	List() ([]string, error)
}

type AddMask struct{ writers []io.Writer }

func New(_ Store, writers ...io.Writer) (*AddMask, error) { return &AddMask{writers: writers}, nil }

func (m *AddMask) Get(index int) io.Writer { return m.writers[index] }

func (m *AddMask) Close() error { return nil }
