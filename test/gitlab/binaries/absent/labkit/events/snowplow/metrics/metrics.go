// Package metrics stands in for the options of the emitter's metrics.
package metrics

type CollectorOption struct{}

func WithCollectorBatchDeliveryDurationBuckets([]float64) CollectorOption { return CollectorOption{} }

func WithCollectorNamespace(string) CollectorOption { return CollectorOption{} }
