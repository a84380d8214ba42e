package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const inheritedDescriptor = 3
const dialWithin = 10 * time.Second
const retryAccept = 50 * time.Millisecond

// listen opens a socket in this network namespace and hands it to a command, which may enter another one first:
// a socket stays in the namespace where it was made.
func listen(address, addressFile string, command []string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	unfinished := addressFile + ".new"
	if err := os.WriteFile(unfinished, []byte(listener.Addr().String()), 0o600); err != nil {
		return err
	}
	if err := os.Rename(unfinished, addressFile); err != nil {
		return err
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	if err := syscall.Dup3(int(file.Fd()), inheritedDescriptor, 0); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	// Dup3 refuses to copy a descriptor onto itself; then only its close-on-exec mark is in the way.
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, inheritedDescriptor, syscall.F_SETFD, 0); errno != 0 {
		return errno
	}
	return syscall.Exec(program, command, os.Environ())
}

// forward joins every connection of the inherited socket with one to the address, until it is ended.
func forward(address string) error {
	listener, err := net.FileListener(os.NewFile(inheritedDescriptor, "socket"))
	if err != nil {
		return fmt.Errorf("descriptor %d is no listening socket: %w", inheritedDescriptor, err)
	}
	for {
		accepted, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			time.Sleep(retryAccept)
			continue
		}
		go join(accepted.(*net.TCPConn), address)
	}
}

func join(accepted *net.TCPConn, address string) {
	defer accepted.Close()
	dialled, err := net.DialTimeout("tcp", address, dialWithin)
	if err != nil {
		accepted.SetLinger(0) // a reset, as if nobody had listened
		return
	}
	defer dialled.Close()
	done := make(chan struct{})
	go func() {
		pass(accepted, dialled.(*net.TCPConn))
		close(done)
	}()
	pass(dialled.(*net.TCPConn), accepted)
	<-done
}

// pass copies one direction and passes its end on; the other direction may go on.
func pass(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		to.SetLinger(0)
		to.Close()
		from.Close()
		return
	}
	to.CloseWrite()
}
