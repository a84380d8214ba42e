// Package client stands in for requests to the step runner.
package client

import "time"

type RunRequest struct {
	BuildDir  string
	Env       map[string]string
	Id        string
	Steps     string
	Timeout   *time.Duration
	Variables []Variable
	WorkDir   string
}

type Variable struct {
	File   bool
	Key    string
	Masked bool
	Value  string
}

type Status struct {
	ErrorKind ErrorKind
	Message   string
	State     State
}

type State string

const (
	StateCancelled   State = "cancelled"
	StateSuccess     State = "success"
	StateUnspecified State = ""
)

func (s State) String() string { return string(s) }

type ErrorKind string

const (
	ErrorCancelled   ErrorKind = "cancelled"
	ErrorInternal    ErrorKind = "internal"
	ErrorStepFailure ErrorKind = "step failure"
	ErrorTimeout     ErrorKind = "timeout"
	ErrorUnknown     ErrorKind = "unknown"
	ErrorUnspecified ErrorKind = ""
)
