import { containerSecurity, dns, lifecycle, podSecurity, service, volumes } from './pod.ts'
import { resourceShapes } from './resources.ts'
import { affinity } from './scheduling.ts'
import { type Keys, keysOf } from './shape.ts'

/** `[runners.kubernetes]`, as GitLab Runner 19.4 decodes it. */
export const kubernetes: Keys = {
  ...resourceShapes,
  ...keysOf(
    'string',
    `host context cert_file key_file ca_file bearer_token image namespace namespace_overwrite_allowed
     runtime_class_name node_selector_overwrite_allowed node_tolerations_overwrite_allowed helper_image
     helper_image_flavor pod_labels_overwrite_allowed scheduler_name service_account service_account_overwrite_allowed
     pod_annotations_overwrite_allowed suspend_pvc_size suspend_pvc_storage_class dns_policy priority_class_name
     logs_base_dir scripts_base_dir`,
  ),
  ...keysOf(
    'boolean',
    `bearer_token_overwrite_allowed namespace_per_job privileged allow_privilege_escalation
     use_service_account_image_pull_secrets helper_image_autoset_arch_and_os automount_service_account_token
     print_pod_warning_events pod_disruption_budget`,
  ),
  ...keysOf(
    'integer',
    `pod_termination_grace_period_seconds cleanup_grace_period_seconds poll_interval poll_timeout
     resource_availability_check_max_attempts retry_limit retry_backoff_max`,
  ),
  ...keysOf(
    'strings',
    `allowed_images allowed_pull_policies allowed_services allowed_users allowed_groups image_pull_secrets
     cap_add cap_drop`,
  ),
  ...keysOf('string-map', 'node_selector node_tolerations pod_labels pod_annotations'),
  ...keysOf(
    { table: containerSecurity },
    `init_permissions_container_security_context build_container_security_context
     helper_container_security_context service_container_security_context`,
  ),
  cleanup_resources_timeout: 'duration',
  pull_policy: 'string-or-strings',
  retry_limits: 'anything',
  autoscaler: 'anything',
  affinity: { table: affinity },
  pod_security_context: { table: podSecurity },
  volumes: { table: volumes },
  host_aliases: { tables: { ip: 'string', hostnames: 'strings' } },
  services: { tables: service },
  dns_config: { table: dns },
  container_lifecycle: { table: lifecycle },
  pod_spec: { tables: keysOf('string', 'name patch_path patch patch_type') },
}
