// Package runner stands in for the functions that are built into the step runner.
package runner

import (
	"context"
	"io"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"gitlab.com/gitlab-org/step-runner/proto"
)

type BuiltinFunction interface {
	Run(context.Context, BuiltinContext) (BuiltinResult, error)
	Spec() *proto.Spec
}

type BuiltinResult struct{}

type BuiltinContext interface {
	GetEnvList() []string
	GetEnvs() map[string]string
	GetInput(name string, kind Kind) (*structpb.Value, error)
	GetInputWithDefault(name string, kind Kind, inputs map[string]*proto.Spec_Content_Input) (*structpb.Value, error)
	GetJobVars() map[string]*structpb.Value
	GracefulExitDelay() time.Duration
	ListenCancel(context.Context) (context.Context, context.CancelFunc)
	Pipe() (stdout, stderr io.Writer)
	WorkDir() string
}

type Kind string

const (
	KindBool   Kind = "bool"
	KindList   Kind = "list"
	KindString Kind = "string"
)
