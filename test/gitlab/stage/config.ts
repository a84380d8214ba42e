import { busyboxImage } from '../../cluster/index.ts'
import { helperImage } from './images.ts'

export const sharedToken = 'glrt-not-a-real-one-shared'
export const nestedToken = 'glrt-not-a-real-one-nested'

/**
 * The manager's file: one runner whose limits are where they belong, and one whose limits stand in a table that GitLab Runner
 * does not know. `run` says nothing about it, and its jobs get the defaults of the LimitRange.
 */
export function configToml(gitlabUrl: string, namespace: string): string {
  const kubernetes = `  [runners.kubernetes]
    namespace = "${namespace}"
    image = "${busyboxImage}"
    helper_image = "${helperImage}"
    pull_policy = "never"
    poll_interval = 1
    poll_timeout = 120
    pod_termination_grace_period_seconds = 2`
  return `concurrent = 8
check_interval = 1
log_level = "info"

[[runners]]
  name = "shared"
  url = "${gitlabUrl}"
  token = "${sharedToken}"
  executor = "kubernetes"
  request_concurrency = 4
${kubernetes}
    memory_limit = "96Mi"
    memory_request = "32Mi"
    ephemeral_storage_limit = "1Gi"
    ephemeral_storage_limit_overwrite_max_allowed = "1Gi"
    memory_limit_overwrite_max_allowed = "96Mi"

[[runners]]
  name = "nested"
  url = "${gitlabUrl}"
  token = "${nestedToken}"
  executor = "kubernetes"
  request_concurrency = 1
${kubernetes}
    [runners.kubernetes.resources.limits]
      memory = "160Mi"
`
}
