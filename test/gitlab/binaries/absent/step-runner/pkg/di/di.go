// Package di stands in for the making of a step runner: there is none.
package di

import (
	"errors"
	"log/slog"

	"gitlab.com/gitlab-org/step-runner/pkg/runner"
)

type Container struct{}

type Option = func(*Container)

type Service struct{}

func NewContainer(...Option) *Container { return new(Container) }

func WithBuiltinFunc(string, runner.BuiltinFunction) Option { return nil }

func WithOperatorLogger(*slog.Logger) Option { return nil }

func (*Container) StepRunnerService() (*Service, error) {
	return nil, errors.New("steps are not part of this build")
}
