// Package api stands in for the wrapper's own API, which nobody calls here.
package api

import (
	"context"
	"errors"

	"github.com/sirupsen/logrus"
)

var ErrProcessNotInitialized = errors.New("no process yet")

type Status string

const (
	StatusInShutdown Status = "in shutdown"
	StatusRunning    Status = "running"
	StatusStopped    Status = "stopped"
	StatusUnknown    Status = "unknown"
)

func (s Status) String() string { return string(s) }

type InitGracefulShutdownRequest interface {
	ShutdownCallbackDef() ShutdownCallbackDef
}

type ShutdownCallbackDef interface {
	Method() string
	URL() string
}

type ShutdownCallback interface {
	Run(context.Context)
}

func NewShutdownCallback(logrus.FieldLogger, ShutdownCallbackDef) ShutdownCallback { return silence{} }

type silence struct{}

func (silence) Run(context.Context) {}
