import path from 'node:path'
import type { KernelFiles } from '../../ports/host-agent.ts'

/** The mount of each controller's groups; in version 2 all in one tree. A controller that is not mounted has none. */
export interface Hierarchies {
  readonly version: 1 | 2
  readonly memory: string
  readonly cpu: string | null
  readonly cpuacct: string | null
  readonly pids: string | null
  /** The mount of groups with pressures: only version 2, which may be mounted next to version 1 without any controller. */
  readonly pressure: string | null
}

/** The mount of version 2 on a hybrid machine, next to version 1. */
const hybridMount = 'unified'

/** The hierarchies below a mount point such as /sys/fs/cgroup; null where there are none. */
export function findHierarchies(files: KernelFiles, mount: string): Hierarchies | null {
  if (isVersion2(files, mount)) {
    return { version: 2, memory: mount, cpu: mount, cpuacct: mount, pids: mount, pressure: mount }
  }
  // Where both versions are mounted, version 1 has the controllers.
  const names = files.folders(mount) ?? []
  const of = (controller: string): string | null => {
    const name = names.find((each) => each.split(',').includes(controller))
    return name === undefined ? null : path.join(mount, name)
  }
  const memory = of('memory')
  if (memory === null) return null
  const hybrid = path.join(mount, hybridMount)
  const pressure = isVersion2(files, hybrid) ? hybrid : null
  return { version: 1, memory, cpu: of('cpu'), cpuacct: of('cpuacct'), pids: of('pids'), pressure }
}

function isVersion2(files: KernelFiles, mount: string): boolean {
  const controllers = files.open(path.join(mount, 'cgroup.controllers'))
  controllers?.close()
  return controllers !== null
}
