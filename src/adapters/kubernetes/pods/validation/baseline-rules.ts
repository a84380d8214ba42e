import type { Allowance } from '../../../../domain/pool/index.ts'
import { type JsonMap, mapOf, mapsOf } from '../json.ts'
import type { Checked } from './check.ts'
import { isWithin } from './node-paths.ts'
import { contextsIn, everyContainer, secretsIn } from './pod-parts.ts'

/** Where something stands that needs to be allowed. */
export interface Found {
  readonly at: string
  readonly got: unknown
  /** The name that an allowance for one value needs. */
  readonly value: string
}

export interface BaselineRule {
  readonly name: Allowance
  readonly expected: string
  /** Whether an allowance for one value is for this one; unset: where both are the same text. */
  readonly isCovered?: (value: string, allowed: string) => boolean
  readonly find: (checked: Checked) => readonly Found[]
}

/** The capabilities that `baseline` lets containers add (Kubernetes 1.36). */
const capabilities = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE'],
  ...['SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]
const sysctls = [
  ...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ip_unprivileged_port_start'],
  ...['net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range', 'net.ipv4.ip_local_reserved_ports'],
  ...['net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl'],
  ...['net.ipv4.tcp_keepalive_probes', 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
]
const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']
const profiles = ['RuntimeDefault', 'Localhost']
/** How AppArmor was asked for before Kubernetes 1.30; newer ones still read it. */
const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/'
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const
const hooks = ['postStart', 'preStop'] as const
const handlers = ['httpGet', 'tcpSocket'] as const

/** The controls of the pod-security standard `baseline`, one for one, and then what is the namespace's. */
export const baselineRules: readonly BaselineRule[] = [
  ofSpec('hostNetwork', "no network of the node's"),
  ofSpec('hostIPC', "no shared memory of the node's"),
  {
    name: 'hostProcess',
    expected: 'no process of the node',
    find: (checked) =>
      contextsIn(checked).flatMap(({ at, context }) =>
        foundWhere(`${at}.windowsOptions.hostProcess`, mapOf(context.windowsOptions).hostProcess, isSet),
      ),
  },
  {
    name: 'privileged',
    expected: 'no privileged container',
    find: (checked) =>
      contextsIn(checked).flatMap(({ at, context }) =>
        foundWhere(`${at}.privileged`, context.privileged, isSet),
      ),
  },
  {
    name: 'capabilities',
    expected: `only capabilities of ${capabilities.join(', ')}`,
    find: (checked) =>
      contextsIn(checked).flatMap(({ at, context }) =>
        listOf(mapOf(context.capabilities).add).flatMap((each) =>
          foundWhere(`${at}.capabilities.add`, each, (one) => !capabilities.includes(`${one}`)),
        ),
      ),
  },
  {
    name: 'hostPath',
    expected: 'no folder of the node',
    isCovered: isWithin,
    find: ({ merged: { spec } }) =>
      mapsOf(spec.volumes).flatMap(({ name, hostPath }) =>
        isThere(hostPath) ? found(`spec.volumes["${name}"].hostPath`, hostPath, mapOf(hostPath).path) : [],
      ),
  },
  {
    name: 'hostPorts',
    expected: 'no port of the node',
    find: (checked) =>
      everyContainer(checked).flatMap(({ at, container }) =>
        mapsOf(container.ports).flatMap(({ hostPort }) =>
          foundWhere(`${at}.ports.hostPort`, hostPort, (port) => port !== 0),
        ),
      ),
  },
  {
    name: 'hostProbes',
    expected: 'no host but the pod itself',
    find: (checked) =>
      everyContainer(checked).flatMap(({ at, container }) =>
        handlersOf(container).flatMap(([field, handler]) =>
          foundWhere(`${at}.${field}.host`, handler.host, (host) => host !== ''),
        ),
      ),
  },
  {
    name: 'appArmor',
    expected: `a profile of ${profiles.join(' or ')}`,
    find: (checked) => [
      ...contextsIn(checked).flatMap(({ at, context }) =>
        foundWhere(`${at}.appArmorProfile.type`, mapOf(context.appArmorProfile).type, isNoProfile),
      ),
      ...Object.entries(mapOf(checked.template.metadata.annotations))
        .filter(([name]) => name.startsWith(appArmorAnnotation))
        .flatMap(([name, value]) =>
          foundWhere(
            `metadata.annotations["${name}"]`,
            value,
            (one) => !/^(runtime\/default|localhost\/.*)$/.test(`${one}`),
          ),
        ),
    ],
  },
  {
    name: 'seLinux',
    expected: `only a type of ${seLinuxTypes.slice(1).join(', ')}`,
    find: (checked) =>
      contextsIn(checked).flatMap(({ at, context }) => {
        const { type, user, role } = mapOf(context.seLinuxOptions)
        return [
          ...foundWhere(`${at}.seLinuxOptions.type`, type, (one) => !seLinuxTypes.includes(`${one}`)),
          ...foundWhere(`${at}.seLinuxOptions.user`, user, (one) => one !== ''),
          ...foundWhere(`${at}.seLinuxOptions.role`, role, (one) => one !== ''),
        ]
      }),
  },
  {
    name: 'procMount',
    expected: 'Default',
    find: (checked) =>
      contextsIn(checked).flatMap(({ at, context }) =>
        foundWhere(`${at}.procMount`, context.procMount, (one) => one !== 'Default'),
      ),
  },
  {
    name: 'seccomp',
    expected: `a profile of ${profiles.join(' or ')}`,
    find: (checked) =>
      contextsIn(checked).flatMap(({ at, context }) =>
        foundWhere(`${at}.seccompProfile.type`, mapOf(context.seccompProfile).type, isNoProfile),
      ),
  },
  {
    name: 'sysctls',
    expected: `only ${sysctls.join(', ')}`,
    find: ({ merged: { spec } }) =>
      mapsOf(mapOf(spec.securityContext).sysctls).flatMap(({ name }) =>
        foundWhere('spec.securityContext.sysctls', name ?? '', (one) => !sysctls.includes(`${one}`)),
      ),
  },
  {
    name: 'secrets',
    expected: 'no Secret of the namespace',
    find: (checked) => secretsIn(checked).flatMap(({ at, name }) => found(at, name, name)),
  },
  {
    name: 'serviceAccounts',
    expected: 'the service account of all runners (fleet.serviceAccount)',
    find: ({ merged: { spec }, bare }) =>
      foundWhere(
        'spec.serviceAccountName',
        spec.serviceAccountName,
        (one) => one !== '' && one !== bare.spec.serviceAccountName,
      ),
  },
]

function ofSpec(name: 'hostNetwork' | 'hostIPC', expected: string): BaselineRule {
  return { name, expected, find: ({ merged: { spec } }) => foundWhere(`spec.${name}`, spec[name], isSet) }
}

function handlersOf(container: JsonMap): readonly (readonly [string, JsonMap])[] {
  const lifecycle = mapOf(container.lifecycle)
  const places = [
    ...probes.map((field) => [field, mapOf(container[field])] as const),
    ...hooks.map((field) => [`lifecycle.${field}`, mapOf(lifecycle[field])] as const),
  ]
  return places.flatMap(([field, one]) =>
    handlers.map((kind) => [`${field}.${kind}`, mapOf(one[kind])] as const),
  )
}

function isNoProfile(type: unknown): boolean {
  return !profiles.includes(`${type}`)
}

function isSet(value: unknown): boolean {
  return value !== false
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** A field that is set to true; an unset field has the default of Kubernetes. */
function foundWhere(at: string, got: unknown, isSo: (value: unknown) => boolean): Found[] {
  return isThere(got) && isSo(got) ? found(at, got, got) : []
}

function found(at: string, got: unknown, value: unknown): Found[] {
  return [{ at, got, value: `${value}` }]
}

/** One that is no list is looked at as a whole, so that it is in no list of what is taken. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isThere(value) ? [value] : []
}
