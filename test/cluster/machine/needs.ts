import { readdir } from 'node:fs/promises'
import { findProgram, installPackages } from '../../support/debian.ts'
import { run } from '../../support/go-build.ts'

/** Programs and the Debian packages that hold them. Go is asked for only where something must be built. */
const programs = {
  containerd: 'containerd',
  'containerd-shim-runc-v2': 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  mount: 'mount',
} as const
const cniFolders = ['/usr/lib/cni', '/opt/cni/bin']
const cniPlugins = ['bridge', 'host-local', 'loopback']

/** Programs of the machine that a cluster needs. */
export interface Machine {
  readonly cniFolder: string
  readonly busybox: string
}

/** Makes sure that a cluster can run here; installs Debian packages that are missing. Throws with what to do. */
export async function prepareMachine(say: (line: string) => void): Promise<Machine> {
  mustBeRoot()
  let missing = await missingPackages()
  if (missing.length > 0) {
    await installPackages(missing, say)
    missing = await missingPackages()
  }
  if (missing.length > 0) throw new Error(`The test cluster needs ${missing.join(', ')}: install them.`)
  return { cniFolder: (await cniFolder()) as string, busybox: (await staticBusybox()) as string }
}

/** Throws where this is no Linux, or the caller is not its root. */
export function mustBeRoot(): void {
  if (process.platform !== 'linux') throw new Error('The test cluster needs Linux: use a virtual machine.')
  if (process.getuid?.() === 0) return
  throw new Error('The test cluster needs root (namespaces, cgroups, mounts): run it with sudo.')
}

async function missingPackages(): Promise<string[]> {
  const missing = new Set<string>()
  for (const [program, from] of Object.entries(programs)) {
    if ((await findProgram(program)) === null) missing.add(from)
  }
  if ((await cniFolder()) === null) missing.add('containernetworking-plugins')
  if ((await staticBusybox()) === null) missing.add('busybox-static')
  return [...missing]
}

async function cniFolder(): Promise<string | null> {
  for (const folder of cniFolders) {
    const found: string[] = await readdir(folder).catch(() => [])
    if (cniPlugins.every((plugin) => found.includes(plugin))) return folder
  }
  return null
}

/** A busybox that needs libraries would not start in an image that has none. */
async function staticBusybox(): Promise<string | null> {
  const file = await findProgram('busybox')
  if (file === null) return null
  const needsLibraries = await run('ldd', [file]).then(
    (text) => text.includes('=>'),
    () => false,
  )
  return needsLibraries ? null : file
}
