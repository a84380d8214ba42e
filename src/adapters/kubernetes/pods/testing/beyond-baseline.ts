import type { Allowance } from '../../../../domain/pool/index.ts'

type Part = Readonly<Record<string, unknown>>

export interface Beyond {
  /** The entry of `fleet.allow` that allows it. */
  readonly allow: Allowance | `${Allowance}:${string}`
  /** Spec of a template that is refused without the entry. */
  readonly refused: Part
  /** A similar spec that is accepted; null: there is none. */
  readonly nearMiss: Part | null
  readonly annotations?: Part
}

const ofRunner = (part: Part): Part => ({ containers: [{ name: 'runner', ...part }] })
const confined = (securityContext: Part): Part => ofRunner({ securityContext })
const ofHelper = (part: Part): Part => ({ initContainers: [{ name: 'helper', image: 'helper:1', ...part }] })
const volume = (source: Part): Part => ({ volumes: [{ name: 'mine', ...source }] })
const key = { secretKeyRef: { name: 'npm', key: 'token' } }
const apparmor = 'container.apparmor.security.beta.kubernetes.io/runner'

/** Each control of `baseline` and of ours: what is refused, by what it is allowed, and what is near it and taken. */
export const beyondBaseline: readonly Beyond[] = [
  { allow: 'hostNetwork', refused: { hostNetwork: true }, nearMiss: { hostNetwork: false } },
  { allow: 'hostIPC', refused: { hostIPC: true }, nearMiss: { hostIPC: false } },
  {
    allow: 'hostProcess',
    refused: confined({ windowsOptions: { hostProcess: true } }),
    nearMiss: confined({ windowsOptions: { hostProcess: false } }),
  },
  {
    allow: 'hostProcess',
    refused: { securityContext: { windowsOptions: { hostProcess: true } } },
    nearMiss: null,
  },
  {
    allow: 'privileged',
    refused: confined({ privileged: true, allowPrivilegeEscalation: true }),
    nearMiss: confined({ privileged: false, allowPrivilegeEscalation: true }),
  },
  {
    allow: 'privileged',
    refused: ofHelper({ securityContext: { privileged: true } }),
    nearMiss: ofHelper({ securityContext: { privileged: null } }),
  },
  {
    allow: 'privileged',
    refused: ofHelper({ restartPolicy: 'Always', securityContext: { privileged: true } }),
    nearMiss: null,
  },
  {
    allow: 'capabilities',
    refused: confined({ capabilities: { add: ['SYS_ADMIN'] } }),
    nearMiss: confined({ capabilities: { add: ['NET_BIND_SERVICE', 'CHOWN'] } }),
  },
  {
    allow: 'capabilities:NET_RAW',
    refused: ofHelper({ securityContext: { capabilities: { add: ['CHOWN', 'NET_RAW'] } } }),
    nearMiss: ofHelper({ securityContext: { capabilities: { drop: ['NET_RAW'] } } }),
  },
  { allow: 'capabilities:ALL', refused: confined({ capabilities: { add: ['ALL'] } }), nearMiss: null },
  {
    allow: 'capabilities:CAP_CHOWN',
    refused: confined({ capabilities: { add: ['CAP_CHOWN'] } }),
    nearMiss: null,
  },
  {
    allow: 'hostPath:/dev',
    refused: volume({ hostPath: { path: '/dev/kvm' } }),
    nearMiss: volume({ emptyDir: {} }),
  },
  { allow: 'hostPath', refused: volume({ hostPath: { path: '/etc/cron.d' } }), nearMiss: null },
  {
    allow: 'hostPorts:8080',
    refused: ofRunner({ ports: [{ containerPort: 80, hostPort: 8080, protocol: 'TCP' }] }),
    nearMiss: ofRunner({ ports: [{ containerPort: 80, hostPort: 0, protocol: 'TCP' }] }),
  },
  {
    allow: 'hostProbes',
    refused: ofRunner({ readinessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } }),
    nearMiss: ofRunner({ readinessProbe: { httpGet: { port: 80 } } }),
  },
  {
    allow: 'hostProbes',
    refused: ofRunner({ lifecycle: { postStart: { httpGet: { host: '10.0.0.1', port: 80 } } } }),
    nearMiss: ofRunner({ lifecycle: { postStart: { exec: { command: ['true'] } } } }),
  },
  {
    allow: 'hostProbes',
    refused: ofHelper({
      restartPolicy: 'Always',
      startupProbe: { tcpSocket: { host: '10.0.0.1', port: 80 } },
    }),
    nearMiss: ofHelper({ restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 80 } } }),
  },
  {
    allow: 'appArmor',
    refused: confined({ appArmorProfile: { type: 'Unconfined' } }),
    nearMiss: confined({ appArmorProfile: { type: 'Localhost', localhostProfile: 'ci' } }),
  },
  {
    allow: 'appArmor',
    refused: {},
    annotations: { [apparmor]: 'unconfined' },
    nearMiss: { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
  },
  {
    allow: 'seLinux',
    refused: { securityContext: { seLinuxOptions: { type: 'spc_t' } } },
    nearMiss: { securityContext: { seLinuxOptions: { type: 'container_t', level: 's0:c1' } } },
  },
  {
    allow: 'seLinux',
    refused: confined({ seLinuxOptions: { user: 'system_u' } }),
    nearMiss: confined({ seLinuxOptions: { level: 's0' } }),
  },
  {
    allow: 'seLinux',
    refused: confined({ seLinuxOptions: { role: 'sysadm_r' } }),
    nearMiss: confined({ seLinuxOptions: { role: '', user: '', type: '' } }),
  },
  {
    allow: 'procMount',
    refused: confined({ procMount: 'Unmasked' }),
    nearMiss: confined({ procMount: 'Default' }),
  },
  {
    allow: 'seccomp',
    refused: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
    nearMiss: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
  },
  {
    allow: 'seccomp',
    refused: ofHelper({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
    nearMiss: ofHelper({
      securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'ci.json' } },
    }),
  },
  {
    allow: 'sysctls:kernel.msgmax',
    refused: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
    nearMiss: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } },
  },
  {
    allow: 'secrets:npm',
    refused: ofRunner({ env: [{ name: 'TOKEN', valueFrom: key }] }),
    nearMiss: ofRunner({
      env: [{ name: 'TOKEN', valueFrom: { configMapKeyRef: { name: 'npm', key: 'a' } } }],
    }),
  },
  {
    allow: 'secrets:npm',
    refused: ofHelper({ envFrom: [{ secretRef: { name: 'npm' } }] }),
    nearMiss: ofHelper({ envFrom: [{ configMapRef: { name: 'npm' } }] }),
  },
  {
    allow: 'secrets:npm',
    refused: volume({ secret: { secretName: 'npm' } }),
    nearMiss: { imagePullSecrets: [{ name: 'npm' }] },
  },
  {
    allow: 'secrets',
    refused: volume({ projected: { sources: [{ configMap: { name: 'a' } }, { secret: { name: 'npm' } }] } }),
    nearMiss: volume({ projected: { sources: [{ configMap: { name: 'a' } }] } }),
  },
  {
    allow: 'secrets:npm',
    refused: volume({ csi: { driver: 'x', nodePublishSecretRef: { name: 'npm' } } }),
    nearMiss: volume({ csi: { driver: 'x' } }),
  },
  {
    allow: 'secrets:npm',
    refused: volume({ azureFile: { secretName: 'npm', shareName: 'x' } }),
    nearMiss: null,
  },
  {
    allow: 'serviceAccounts:deployer',
    refused: { serviceAccountName: 'deployer' },
    nearMiss: { serviceAccountName: 'default' },
  },
]
