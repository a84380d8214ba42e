// The test cluster's own small program: static, so that it also is the pause program of every pod.
//
//	pause                                 waits; reaps what it inherits
//	listen <address> <file> <command…>    opens a socket here, writes its address, becomes the command
//	forward <address>                     joins what that socket (descriptor 3) accepts with the address
//	certificates <folder> <plan.json>     an authority, a signing key and a certificate for each part
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "pause":
		return pause()
	case len(args) > 3 && args[0] == "listen":
		return listen(args[1], args[2], args[3:])
	case len(args) == 2 && args[0] == "forward":
		return forward(args[1])
	case len(args) == 3 && args[0] == "certificates":
		return certificates(args[1], args[2])
	}
	return fmt.Errorf("expected pause, listen, forward or certificates with their arguments, got %q", args)
}
