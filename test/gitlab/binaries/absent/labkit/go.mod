module gitlab.com/gitlab-org/labkit/v2

go 1.26.5

require (
	github.com/prometheus/client_golang v1.23.2
)
