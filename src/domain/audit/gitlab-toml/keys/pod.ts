import { type Keys, keysOf } from './shape.ts'

const mount: Keys = keysOf('string', 'name mount_path sub_path')
const profile: Keys = keysOf('string', 'type localhost_profile')
const profiles: Keys = keysOf({ table: profile }, 'seccomp_profile app_armor_profile')

/** `[runners.kubernetes.volumes]`. */
export const volumes: Keys = {
  host_path: {
    tables: { ...mount, read_only: 'boolean', host_path: 'string', mount_propagation: 'string' },
  },
  pvc: { tables: { ...mount, read_only: 'boolean', mount_propagation: 'string' } },
  ...keysOf({ tables: { ...mount, read_only: 'boolean', items: 'string-map' } }, 'config_map secret'),
  empty_dir: { tables: { ...mount, ...keysOf('string', 'medium size_limit mount_propagation') } },
  csi: {
    tables: {
      ...mount,
      ...keysOf('string', 'driver fs_type'),
      read_only: 'boolean',
      volume_attributes: 'string-map',
    },
  },
  nfs: { tables: { ...mount, ...keysOf('string', 'server path'), read_only: 'boolean' } },
}

export const podSecurity: Keys = {
  ...keysOf('integer', 'fs_group run_as_group run_as_user'),
  run_as_non_root: 'boolean',
  supplemental_groups: 'integers',
  selinux_type: 'string',
  ...profiles,
}

export const containerSecurity: Keys = {
  capabilities: { table: keysOf('strings', 'add drop') },
  ...keysOf('boolean', 'privileged run_as_non_root read_only_root_filesystem allow_privilege_escalation'),
  ...keysOf('integer', 'run_as_user run_as_group'),
  ...keysOf('string', 'selinux_type proc_mount'),
  ...profiles,
}

export const dns: Keys = {
  ...keysOf('strings', 'nameservers searches'),
  options: { tables: keysOf('string', 'name value') },
}

const handler: Keys = {
  exec: { table: { command: 'strings' } },
  http_get: {
    table: {
      ...keysOf('string', 'host path scheme'),
      port: 'integer',
      http_headers: { tables: keysOf('string', 'name value') },
    },
  },
  tcp_socket: { table: { host: 'string', port: 'integer' } },
}

export const lifecycle: Keys = keysOf({ table: handler }, 'post_start pre_stop')

/** `[[runners.kubernetes.services]]`. */
export const service: Keys = {
  ...keysOf('string', 'name alias suspend_data_path'),
  ...keysOf('strings', 'command entrypoint environment'),
}
