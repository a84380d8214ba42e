//go:build tools

// Package kwok pins KWOK, which stands in for many nodes in measurements; nothing of it is linked into Holdfast.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
