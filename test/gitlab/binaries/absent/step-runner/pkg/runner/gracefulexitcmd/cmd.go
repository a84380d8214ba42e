// Package gracefulexitcmd stands in for commands that are asked to end before they are killed.
package gracefulexitcmd

import (
	"context"
	"os"
	"os/exec"
	"time"
)

func New(ctx context.Context, patience time.Duration, program string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, program, args...)
	command.WaitDelay = patience
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command
}
