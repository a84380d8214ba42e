package main

import (
	"os"
	"os/signal"
	"syscall"
)

// pause holds namespaces open until it is told to end. As pid 1 of a pod it inherits orphans and must reap them.
func pause() error {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return nil
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil || pid <= 0 {
				break
			}
		}
	}
	return nil
}
