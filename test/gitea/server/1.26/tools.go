//go:build tools

// Package server pins the Gitea server that the tests build; nothing of it is linked into Holdfast.
package server

import _ "code.gitea.io/gitea"
