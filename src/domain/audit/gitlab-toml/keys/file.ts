import { kubernetes } from './kubernetes.ts'
import { type Keys, keysOf } from './shape.ts'

/** `[[runners]]`. Of executors other than Kubernetes only the name is known here. */
export const runner: Keys = {
  ...keysOf(
    'string',
    `name url token tls-ca-file tls-cert-file tls-key-file executor builds_dir cache_dir clone_url
     pre_get_sources_script post_get_sources_script pre_build_script post_build_script shell
     slot_cgroup_template step_runner_image`,
  ),
  ...keysOf(
    'integer',
    'id limit output_limit request_concurrency unhealthy_requests_limit job_status_final_update_retry_limit',
  ),
  ...keysOf(
    'boolean',
    'proxy_exec debug_trace_disabled safe_directory_checkout clean_git_config strict_check_interval use_slot_cgroups',
  ),
  ...keysOf('duration', 'prepare_timeout get_sources_timeout unhealthy_interval'),
  ...keysOf(
    'anything',
    `token_obtained_at token_expires_at custom_build_dir referees cache artifact monitoring instance ssh
     docker parallels virtualbox machine custom autoscaler experimental`,
  ),
  environment: 'strings',
  labels: 'string-map',
  feature_flags: 'boolean-map',
  kubernetes: { table: kubernetes },
}

/** The file as a whole. */
export const file: Keys = {
  ...keysOf('string', 'listen_address log_level log_format user sentry_dsn'),
  ...keysOf(
    'integer',
    'concurrent check_interval log_field_schema_version log_field_dual_emit_target shutdown_timeout',
  ),
  ...keysOf('anything', 'session_server machine experimental'),
  connection_max_age: 'duration',
  labels: 'string-map',
  runners: { tables: runner },
}

export const executors = [
  ...['kubernetes', 'docker', 'docker-windows', 'docker+machine', 'docker-autoscaler', 'instance', 'shell'],
  ...['ssh', 'parallels', 'virtualbox', 'custom', 'docker-ssh', 'docker-ssh+machine'],
] as const
