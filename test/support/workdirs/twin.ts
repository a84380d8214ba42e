import { HoldfastError } from '../../../src/domain/errors/index.ts'
import {
  isGitLock,
  isPlainName,
  isPlainPath,
  type NotableEntry,
  type RunnerHost,
  type RunnerProcess,
  type WorkFolderFacts,
} from '../../../src/domain/workdir/index.ts'
import type { HostActs, HostAnswer } from '../../../src/ports/host-acts.ts'
import type { EntryLook, MadeHost } from '../../contract/runner-hosts/contract.ts'

const ownerUid = 1001
const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5)
const device = 64769
const space = {
  freeBytes: 50 * 2 ** 30,
  totalBytes: 100 * 2 ** 30,
  freeInodes: 500_000,
  totalInodes: 1_000_000,
}

/** The twin, with its state in the open. */
export interface TwinHost extends MadeHost {
  readonly processes: RunnerProcess[]
  /** Acts that took effect, in order. */
  readonly acted: string[]
  end(pid: number): void
}

/** The simulated twin: a work folder in memory. Like a file system it has no path twice, and parents come with their children. */
export function createTwinHost(): TwinHost {
  const entries = new Map<string, NotableEntry>()
  const inodes = new Map<string, { id: number; changed: number }>()
  const processes: RunnerProcess[] = []
  const acted: string[] = []
  let [isLinked, service, ids, pids] = [false, null as string | null, 10, 100]
  let act = async (): Promise<unknown> => undefined
  const host: RunnerHost = {
    name: 'honey-am-2',
    root: '/srv/honey-am-2',
    workFolder: '_work',
    ownerUid: null,
    service: { kind: 'svc.sh' },
    ssh: null,
  }
  const make = (path: string): void => {
    ids += 1
    inodes.set(path, { id: ids, changed: ids })
  }
  make('')
  make('.')
  const idOf = (path: string): string => `${device}:${inodes.get(path)?.id}`
  const put = (
    path: string,
    kind: NotableEntry['kind'],
    { mode = 0o755, uid = ownerUid, ageMs = 0 }: EntryLook = {},
  ) => {
    const parts = path.split('/')
    for (let count = 1; count < parts.length; count += 1) {
      const parent = parts.slice(0, count).join('/')
      if (!entries.has(parent)) put(parent, 'directory')
    }
    if (!entries.has(path)) make(path)
    entries.set(path, { path, kind, uid, mode, modifiedAt: startedAt - ageMs, isReadable: true })
  }
  const below = (path: string): readonly string[] =>
    [...entries.keys()].filter((each) => each.startsWith(`${path}/`))
  const facts = (folder: WorkFolderFacts['folder']): WorkFolderFacts => {
    const all = folder.kind === 'folder' ? [...entries.values()] : []
    const isNotable = (entry: NotableEntry): boolean =>
      entry.uid !== ownerUid || isGitLock(entry) || isLocked(entry)
    const top = all.filter(({ path }) => !path.includes('/'))
    return {
      at: startedAt,
      readerUid: 0,
      folder,
      top: top.map(({ path, kind }) => ({
        name: path,
        kind,
        id: idOf(path),
        changed: String(inodes.get(path)?.changed),
        isEmpty: kind === 'directory' && below(path).length === 0,
      })),
      entryCount: all.length,
      notable: all.filter(isNotable),
      cuts: [],
      processes: [...processes],
      areProcessesWhole: true,
      space,
    }
  }
  const own = (role: RunnerProcess['role']) =>
    processes.filter((each) => each.role === role && each.place !== 'elsewhere')
  const start = (role: RunnerProcess['role'], place: RunnerProcess['place']): number => {
    pids += 1
    const name = role === 'worker' ? 'Runner.Worker' : 'Runner.Listener'
    const program = `${place === 'here' ? host.root : '/srv/other'}/bin/${name}`
    processes.push({ pid: pids, uid: ownerUid, program, place, role })
    return pids
  }
  const end = (pid: number): void => {
    const index = processes.findIndex((each) => each.pid === pid)
    if (index >= 0) processes.splice(index, 1)
  }
  const acts: HostActs = {
    async treatFolder(asked, { folder, mode, ids: planned }, signal): Promise<HostAnswer> {
      signal.throwIfAborted()
      if (!isSafe(asked) || !isPlainName(folder) || folder.startsWith('_')) throw refused('not safe to use')
      if (asked.root !== host.root) return 'gone'
      if (planned.root !== idOf('')) return 'conflict'
      if (isLinked) throw refused('a symlink')
      if (planned.work !== idOf('.')) return 'conflict'
      const found = entries.get(folder)
      if (found === undefined) return 'gone'
      if (found.kind === 'symlink') throw refused('a symlink')
      if (planned.folder !== idOf(folder)) return 'conflict'
      if (own('worker').length > 0) throw refused('a Runner.Worker is or may be at work')
      if (own('listener').length > 0) throw refused('its Runner.Listener runs')
      acted.push(`${mode} ${folder}`)
      for (const path of [folder, ...below(folder)]) {
        const entry = entries.get(path) as NotableEntry
        if (mode === 'unlock') {
          if (entry.uid === ownerUid && isLocked(entry))
            entries.set(path, { ...entry, mode: entry.mode | 0o700 })
        } else if (path !== folder || entry.uid !== ownerUid || isLocked(entry)) entries.delete(path)
      }
      Object.assign(inodes.get(folder) ?? {}, { changed: ++ids })
      return 'done'
    },
    async controlService(asked, { verb, rootId, listeners }, signal): Promise<HostAnswer> {
      signal.throwIfAborted()
      if (asked.service === null) throw refused('its service is not declared')
      if (!isSafe(asked)) throw refused('not safe to use')
      if (rootId !== idOf('')) return 'conflict'
      if (service === null || service === 'a symlink') throw refused('there is no svc.sh')
      if (service === 'of another account') throw refused('svc.sh can be written by another account')
      if (own('worker').length > 0) throw refused('a Runner.Worker is or may be at work')
      const running = own('listener').map(({ pid }) => pid)
      if (running.join() !== listeners.join()) return 'conflict'
      if (service === 'failing') throw refused('ended with 3')
      acted.push(verb)
      if (verb === 'start') start('listener', 'here')
      else for (const pid of running) end(pid)
      return 'done'
    },
  }
  return {
    host,
    ownerUid,
    processes,
    acted,
    end,
    acts,
    hosts: {
      async look({ root, workFolder }, signal) {
        signal.throwIfAborted()
        if (!isPlainPath(root) || !isPlainName(workFolder))
          return { kind: 'unreachable', why: 'it is not declared in a form that is safe to use', needs: null }
        if (root !== host.root || workFolder !== host.workFolder)
          return { kind: 'read', facts: facts({ kind: 'missing' }) }
        if (isLinked) return { kind: 'read', facts: facts({ kind: 'symlink' }) }
        await act()
        const [id, rootId] = [idOf('.'), idOf('')]
        return {
          kind: 'read',
          facts: facts({ kind: 'folder', uid: ownerUid, id, root: { id: rootId, path: host.root } }),
        }
      },
    },
    directory: async (path, look) => put(path, 'directory', look),
    file: async (path, look) => put(escaped(path), 'file', { mode: 0o644, ...look }),
    symlink: async (path) => put(path, 'symlink'),
    async linkWorkFolder() {
      isLinked = true
    },
    start: async (name, place) =>
      place === 'ended' ? 1 : start(name === 'Runner.Worker' ? 'worker' : 'listener', place),
    list: async () => [...entries.keys()].sort(),
    modeOf: async (path) => entries.get(path)?.mode ?? 0,
    replace: async (path) => (path === '' ? ['', '.', ...entries.keys()] : [path]).forEach(make),
    async link(path) {
      for (const each of below(path)) entries.delete(each)
      put(path, 'symlink')
    },
    async installService(kind) {
      service = kind
    },
    whileReading(given) {
      act = given
    },
    async [Symbol.asyncDispose]() {},
  }
}

function isLocked({ kind, mode }: NotableEntry): boolean {
  return kind === 'directory' && (mode & 0o700) !== 0o700
}

function isSafe({ root, workFolder }: RunnerHost): boolean {
  return isPlainPath(root) && isPlainName(workFolder)
}

function refused(why: string): HoldfastError {
  return new HoldfastError('E_HOST_REFUSED', { host: 'honey-am-2', why })
}

/** As people get to see it. */
function escaped(path: string | Buffer): string {
  if (typeof path !== 'string')
    return path
      .toString('latin1')
      .replaceAll(/[\x80-\xff]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`)
  return path
    .replaceAll('\\', '\\\\')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}
