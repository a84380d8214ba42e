import path from 'node:path'

/** The mount point of one hierarchy, and the group of this process in it. */
export interface Hierarchy {
  readonly version: 1 | 2
  readonly controllers: readonly string[]
  readonly mount: string
  /** The group of this process, as a folder. */
  readonly own: string
}

interface Mount {
  readonly type: string
  readonly root: string
  readonly point: string
  readonly options: readonly string[]
}

/** The hierarchies that are mounted, from /proc/self/mountinfo and /proc/self/cgroup. */
export function parseHierarchies(mountInfo: string, selfCgroup: string): readonly Hierarchy[] {
  const paths = groupPaths(selfCgroup)
  return mountInfo
    .split('\n')
    .map(parseMount)
    .filter((mount) => mount !== null)
    .flatMap((mount) => hierarchyOf(mount, paths))
}

function parseMount(line: string): Mount | null {
  const [before, after] = line.split(' - ')
  const [, , , root, point] = (before ?? '').split(' ')
  const [type, , options] = (after ?? '').split(' ')
  if (root === undefined || point === undefined || type === undefined || options === undefined) return null
  return { type, root: unescaped(root), point: unescaped(point), options: options.split(',') }
}

/** mountinfo writes white space as octal escapes. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}

/** Group of this process by controller; the one of version 2 under the empty name. */
function groupPaths(selfCgroup: string): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  for (const line of selfCgroup.split('\n')) {
    const [, controllers, ...rest] = line.split(':')
    for (const controller of controllers?.split(',') ?? []) paths.set(controller, rest.join(':'))
  }
  return paths
}

function hierarchyOf(mount: Mount, paths: ReadonlyMap<string, string>): Hierarchy[] {
  const controllers = mount.options.filter((option) => option !== '' && paths.has(option))
  const key = mount.type === 'cgroup2' ? '' : controllers[0]
  const group = key === undefined ? undefined : paths.get(key)
  if (group === undefined || (mount.type !== 'cgroup' && mount.type !== 'cgroup2')) return []
  const version = mount.type === 'cgroup2' ? 2 : 1
  const own = path.join(mount.point, inside(group, mount.root))
  return [{ version, controllers: version === 2 ? [] : controllers, mount: mount.point, own }]
}

/** In a container a part of the hierarchy may be mounted, and the group's path counts from the machine's top. */
function inside(group: string, mountRoot: string): string {
  if (mountRoot === '/' || mountRoot.startsWith('/..')) return group
  return group === mountRoot || group.startsWith(`${mountRoot}/`) ? group.slice(mountRoot.length) : '/'
}
