// Package api stands in for the step runner's socket.
package api

import "net"

func DefaultSocketPath() string { return "/tmp/no-step-runner.sock" }

func SocketAddr(path string) *net.UnixAddr { return &net.UnixAddr{Net: "unix", Name: path} }
