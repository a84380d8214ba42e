import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildGo, cacheFolder, exists, type GoProgram, pinnedVersion } from '../../support/go-build.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const small = '-s -w'

/** The programs of the cluster, by their names. */
export interface Binaries {
  readonly kubernetesVersion: string
  readonly etcd: string
  readonly 'kube-apiserver': string
  readonly 'kube-controller-manager': string
  readonly 'kube-scheduler': string
  readonly kubelet: string
  readonly kubectl: string
  readonly kwok: string
  /** Our own: pause, sockets between namespaces, certificates. */
  readonly tools: string
}

/** Every program at the version that the go.mod files of this folder pin: from the cache, or built into it (minutes, once). */
export async function buildBinaries(say: (line: string) => void): Promise<Binaries> {
  const kubernetesVersion = await pinnedVersion(path.join(here, 'kubernetes'), 'k8s.io/kubernetes')
  const programs = {
    etcd: await etcd(),
    'kube-apiserver': kubernetes('kube-apiserver', kubernetesVersion),
    'kube-controller-manager': kubernetes('kube-controller-manager', kubernetesVersion),
    'kube-scheduler': kubernetes('kube-scheduler', kubernetesVersion),
    kubelet: kubernetes('kubelet', kubernetesVersion),
    kubectl: kubernetes('kubectl', kubernetesVersion),
    kwok: await kwok(),
    tools: await tools(),
  }
  const missing: GoProgram[] = []
  for (const program of Object.values(programs)) if (!(await exists(program.to))) missing.push(program)
  for (const [index, program] of missing.entries()) {
    say(`building ${program.to} (${index + 1} of ${missing.length}; some minutes for all of them, once)`)
    await buildGo(program, say)
  }
  const files = Object.fromEntries(Object.entries(programs).map(([name, program]) => [name, program.to]))
  return { kubernetesVersion, ...(files as { [name in keyof typeof programs]: string }) }
}

function kubernetes(name: string, version: string): GoProgram {
  return {
    module: path.join(here, 'kubernetes'),
    package: `k8s.io/kubernetes/cmd/${name}`,
    to: path.join(cacheFolder(`kubernetes-${version}`), name),
    flags: ['-ldflags', `${small} -X k8s.io/component-base/version.gitVersion=v${version}`],
  }
}

async function etcd(): Promise<GoProgram> {
  const module = path.join(here, 'etcd')
  const name = 'go.etcd.io/etcd/server/v3'
  const to = path.join(cacheFolder(`etcd-${await pinnedVersion(module, name)}`), 'etcd')
  return { module, package: name, to, flags: ['-ldflags', small] }
}

async function kwok(): Promise<GoProgram> {
  const module = path.join(here, 'kwok')
  const to = path.join(cacheFolder(`kwok-${await pinnedVersion(module, 'sigs.k8s.io/kwok')}`), 'kwok')
  return { module, package: 'sigs.k8s.io/kwok/cmd/kwok', to, flags: ['-ldflags', small] }
}

/** Ours have no version: their sources are the key. */
async function tools(): Promise<GoProgram> {
  const module = path.join(here, 'tools')
  const hash = createHash('sha256')
  for (const file of (await readdir(module)).sort()) hash.update(await readFile(path.join(module, file)))
  const to = path.join(
    cacheFolder(`cluster-tools-${hash.digest('hex').slice(0, 12)}`),
    'holdfast-cluster-tools',
  )
  return { module, package: '.', to, flags: ['-ldflags', small] }
}
