//go:build tools

// Package etcd pins the etcd under the test cluster; nothing of it is linked into Holdfast.
package etcd

import _ "go.etcd.io/etcd/server/v3"
