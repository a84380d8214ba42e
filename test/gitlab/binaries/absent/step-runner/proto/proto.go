// Package proto stands in for the messages that describe a step.
package proto

import (
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
)

type Spec struct{ Spec *Spec_Content }

func (s *Spec) GetSpec() *Spec_Content { return s.Spec }

type Spec_Content struct {
	Inputs map[string]*Spec_Content_Input
}

func (c *Spec_Content) GetInputs() map[string]*Spec_Content_Input { return c.Inputs }

type Spec_Content_Input struct {
	Default   *structpb.Value
	Sensitive bool
	Type      ValueType
}

type ValueType string

const (
	ValueType_array   ValueType = "array"
	ValueType_boolean ValueType = "boolean"
	ValueType_string  ValueType = "string"
)

func RegisterStepRunnerServer(*grpc.Server, any) {}
