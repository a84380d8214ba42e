// Package snowplow stands in for billing events: none is sent.
package snowplow

import (
	"github.com/prometheus/client_golang/prometheus"

	"gitlab.com/gitlab-org/labkit/v2/events/snowplow/metrics"
	"gitlab.com/gitlab-org/labkit/v2/events/snowplow/oidc"
)

type Emitter struct{}

type EmitterOption struct{}

type SendCallback func(sent, lost []SendResult)

type SendResult struct {
	Err        error
	EventCount int
	StatusCode int
}

func NewEmitter(string, ...EmitterOption) (*Emitter, error) { return new(Emitter), nil }

func WithCallback(SendCallback) EmitterOption { return EmitterOption{} }

func WithMetricsCollectorOptions(...metrics.CollectorOption) EmitterOption { return EmitterOption{} }

func WithTokenSource(*oidc.Source) EmitterOption { return EmitterOption{} }

func (*Emitter) Collector() prometheus.Collector {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: "holdfast_test_no_events"})
}

type Tracker struct{}

type BillingEventRequiredInput struct {
	Category      string
	EventType     string
	Quantity      float64
	Realm         string
	UnitOfMeasure string
}

type BillingEventOptionalInput struct {
	DeploymentType   string
	InstanceID       string
	Metadata         map[string]any
	NamespaceID      int64
	OrganizationID   int64
	ProjectID        int64
	RootNamespaceID  int64
	Subject          string
	UniqueInstanceID string
}

func NewTracker(string, *Emitter) (*Tracker, error) { return new(Tracker), nil }

func (*Tracker) Stop() {}

func (*Tracker) TrackBillingEventWithOptionalInput(BillingEventRequiredInput, BillingEventOptionalInput) error {
	return nil
}
