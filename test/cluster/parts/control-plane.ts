import path from 'node:path'
import type { Binaries } from '../binaries/build.ts'
import { addresses, type Place } from '../place.ts'

/** Inside the namespace the API server has the port that its service has. */
export const apiPortInside = 443
/** Inside the network of the cluster. */
export const etcdUrl = 'http://127.0.0.1:2379'
const etcdPeerUrl = 'http://127.0.0.1:2380'
/** Kubernetes has 50 s; tests that stop a kubelet should not wait for a minute. */
const nodeGraceSeconds = 20

/** The network of a cluster; it lives as long as a process is inside. */
export function networkCommand(tools: string): string[] {
  return ['unshare', '--net', '--', tools, 'pause']
}

/** Run inside the network: its addresses. Names of interfaces are short by the kernel's limit. */
export function networkSetup(nodes: number): string {
  const nodeAddresses = Array.from({ length: nodes }, (_, index) => addresses.node(index + 1))
  return [
    'set -e',
    'ip link set lo up',
    `ip address add ${addresses.service}/32 dev lo`,
    'ip link add nodes type bridge',
    ...[addresses.control, ...nodeAddresses].map((address) => `ip address add ${address}/24 dev nodes`),
    'ip link set nodes up',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
  ].join('\n')
}

/** Without waiting for the disk: nothing of a test cluster has to outlive the machine. */
export function etcdCommand(binaries: Binaries, place: Place): string[] {
  return [
    binaries.etcd,
    '--name=etcd',
    `--data-dir=${path.join(place.folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${etcdPeerUrl}`,
    `--initial-advertise-peer-urls=${etcdPeerUrl}`,
    `--initial-cluster=etcd=${etcdPeerUrl}`,
    '--unsafe-no-fsync',
    // As kubeadm has it: without, watches of what never changes get no bookmarks.
    '--watch-progress-notify-interval=5s',
  ]
}

/** Admission of service accounts stays on: projected tokens and their reviews are real. */
export function apiServerCommand(binaries: Binaries, place: Place): string[] {
  const file = (name: string): string => path.join(place.certificates, name)
  return [
    binaries['kube-apiserver'],
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=0.0.0.0',
    `--secure-port=${apiPortInside}`,
    `--advertise-address=${addresses.control}`,
    `--service-cluster-ip-range=${addresses.services}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--kubelet-certificate-authority=${file('ca.crt')}`,
    `--kubelet-client-certificate=${file('kubelet-client.crt')}`,
    `--kubelet-client-key=${file('kubelet-client.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    `--cert-dir=${path.join(place.folder, 'apiserver')}`,
  ]
}

/** There is one, so nobody has to be elected first. */
export function controllerManagerCommand(binaries: Binaries, place: Place, kubeconfig: string): string[] {
  const file = (name: string): string => path.join(place.certificates, name)
  return [
    binaries['kube-controller-manager'],
    ...asClient(kubeconfig),
    `--root-ca-file=${file('ca.crt')}`,
    `--service-account-private-key-file=${file('sa.key')}`,
    '--use-service-account-credentials=true',
    `--flex-volume-plugin-dir=${path.join(place.folder, 'volume-plugins')}`,
    '--node-monitor-period=1s',
    `--node-monitor-grace-period=${nodeGraceSeconds}s`,
  ]
}

export function schedulerCommand(binaries: Binaries, kubeconfig: string): string[] {
  return [binaries['kube-scheduler'], ...asClient(kubeconfig)]
}

function asClient(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
  ]
}
