// Package schema stands in for the form of a step.
package schema

type Step struct {
	Inputs StepInputs `json:"inputs,omitempty" yaml:"inputs,omitempty"`
	Name   *string    `json:"name,omitempty" yaml:"name,omitempty"`
	Run    []Step     `json:"run,omitempty" yaml:"run,omitempty"`
	Step   any        `json:"step,omitempty" yaml:"step,omitempty"`
}

type StepInputs map[string]any
