import { mkdir, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import type { Binaries } from '../binaries/build.ts'
import { pauseImage } from '../images/index.ts'
import type { Machine } from '../machine/needs.ts'
import { addresses, nodeName, type Place } from '../place.ts'

const overlayFileSystem = 0x794c7630
/** Every node sees folders of its own where kubelet, containerd, CNI and agents keep things, some without asking. */
const ownFolders = {
  '/var/lib/kubelet': 'kubelet',
  '/var/lib/containerd': 'containerd',
  '/run/containerd': 'run-containerd',
  '/var/lib/cni': 'cni',
  '/var/log/pods': 'pod-logs',
  '/var/log/containers': 'container-logs',
  '/var/lib/holdfast': 'holdfast',
} as const

/** Where a node keeps its files, as seen from outside of it. */
function nodeFolder(place: Place, index: number): string {
  return path.join(place.folder, nodeName(index))
}

/**
 * The mounts of a node, which live as long as a process is inside: whatever kubelet and containerd mount goes with
 * them. What the machine unmounts is unmounted inside too; nothing comes out.
 */
export function nodeCommand(tools: string, place: Place, index: number): string[] {
  const binds = Object.entries(ownFolders).map(
    ([target, own]) => `mount --bind "${path.join(nodeFolder(place, index), own)}" ${target}`,
  )
  const script = ['set -e', 'mount --make-rshared /', ...binds, 'exec "$0" pause'].join('\n')
  return ['unshare', '--mount', '--propagation', 'slave', '--', '/bin/sh', '-c', script, tools]
}

/** Writes what containerd and the kubelet of a node read. */
export async function writeNode(place: Place, index: number, machine: Machine): Promise<void> {
  const folder = nodeFolder(place, index)
  for (const [target, own] of Object.entries(ownFolders)) {
    await mkdir(path.join(folder, own), { recursive: true })
    await mkdir(target, { recursive: true })
  }
  await mkdir(path.join(folder, 'cni-config'), { recursive: true })
  await writeFile(
    path.join(folder, 'cni-config', '10-pods.conflist'),
    JSON.stringify(podNetwork(index), null, 2),
  )
  const overlay = (await statfs(folder)).type === overlayFileSystem
  const config = containerdConfig(folder, machine.cniFolder, overlay ? 'native' : 'overlayfs')
  await writeFile(path.join(folder, 'containerd.toml'), config)
  await writeFile(path.join(folder, 'resolv.conf'), '')
  await writeFile(path.join(folder, 'kubelet.yaml'), stringify(kubeletConfig(place, index)))
}

export function containerdCommand(place: Place, index: number): string[] {
  return ['containerd', '--config', path.join(nodeFolder(place, index), 'containerd.toml')]
}

export function kubeletCommand(
  binaries: Binaries,
  place: Place,
  index: number,
  kubeconfig: string,
): string[] {
  return [
    binaries.kubelet,
    `--config=${path.join(nodeFolder(place, index), 'kubelet.yaml')}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${nodeName(index)}`,
    `--node-ip=${addresses.node(index)}`,
  ]
}

function podNetwork(index: number): object {
  const bridge = {
    type: 'bridge',
    bridge: `pods-${index}`,
    isDefaultGateway: true,
    hairpinMode: true,
    ipam: { type: 'host-local', ranges: [[{ subnet: addresses.pods(index) }]] },
  }
  return { cniVersion: '0.4.0', name: 'pods', plugins: [bridge] }
}

/** restrict_oom_score_adj: without it runc fails where the machine itself may not lower its score. */
function containerdConfig(folder: string, cniFolder: string, snapshotter: string): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "${cniFolder}"
  conf_dir = "${path.join(folder, 'cni-config')}"

[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "${snapshotter}"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
    SystemdCgroup = false
`
}

/** Kubernetes' defaults, except where they look at the whole machine, which is not the cluster's. */
function kubeletConfig(place: Place, index: number): object {
  const certificate = path.join(place.certificates, nodeName(index))
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: addresses.node(index),
    healthzBindAddress: addresses.node(index),
    tlsCertFile: `${certificate}.crt`,
    tlsPrivateKeyFile: `${certificate}.key`,
    authentication: {
      x509: { clientCAFile: path.join(place.certificates, 'ca.crt') },
      anonymous: { enabled: false },
    },
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${place.id}/${nodeName(index)}`,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    makeIPTablesUtilChains: false,
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    resolvConf: path.join(nodeFolder(place, index), 'resolv.conf'),
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    volumeStatsAggPeriod: '2s', // a full volume is seen within seconds, not a minute
    nodeStatusUpdateFrequency: '5s',
    nodeLeaseDurationSeconds: 10,
    registryPullQPS: 0,
    eventRecordQPS: 0,
    kubeAPIQPS: 200,
    kubeAPIBurst: 400,
  }
}
