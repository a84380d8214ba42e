// Package proxy stands in for the way to the step runner: it leads nowhere.
package proxy

import (
	"errors"
	"io"
	"net"
)

func Proxy(io.Reader, io.Writer, net.Conn) error {
	return errors.New("steps are not part of this build")
}
