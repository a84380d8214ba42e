//go:build tools

// Package tools pins what the tests build.
package tools

import _ "gitea.dev"
