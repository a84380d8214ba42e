import type { NotableEntry, RunnerProcess, WorkFolderFacts } from './facts.ts'
import type { RunnerHost } from './host.ts'

export const lookedAt = Date.UTC(2026, 0, 2, 3, 4, 5)
export const runnerUid = 1001

export function runnerHost(given: Partial<RunnerHost> = {}): RunnerHost {
  return {
    name: 'honey-am-2',
    root: '/srv/honey-am-2',
    workFolder: '_work',
    ownerUid: null,
    service: null,
    ssh: null,
    ...given,
  }
}

/** A host at rest with one repository in order. */
export function hostFacts(given: Partial<WorkFolderFacts> = {}): WorkFolderFacts {
  return {
    at: lookedAt,
    readerUid: 0,
    folder: {
      kind: 'folder',
      uid: runnerUid,
      id: '64769:20',
      root: { id: '64769:10', path: '/srv/honey-am-2' },
    },
    top: ['_temp', 'web', 'api'].map((name, index) => ({
      name,
      kind: 'directory',
      id: `64769:${30 + index}`,
      changed: '1767323045.1',
      isEmpty: false,
    })),
    entryCount: 40,
    notable: [],
    cuts: [],
    processes: [],
    areProcessesWhole: true,
    space: { freeBytes: 50, totalBytes: 100, freeInodes: 50, totalInodes: 100 },
    ...given,
  }
}

export function notableEntry(path: string, given: Partial<NotableEntry> = {}): NotableEntry {
  return {
    path,
    kind: 'directory',
    uid: 0,
    mode: 0o755,
    modifiedAt: lookedAt - 3_600_000,
    isReadable: true,
    ...given,
  }
}

/** A directory of root with a file of root in it, as a container job leaves it. */
export function rootOwned(folder: string): NotableEntry[] {
  return [
    notableEntry(`${folder}/${folder}/dist`),
    notableEntry(`${folder}/${folder}/dist/app.js`, { kind: 'file', mode: 0o644 }),
  ]
}

export function gitLock(path: string, ageMs: number): NotableEntry {
  return notableEntry(path, { kind: 'file', uid: runnerUid, mode: 0o644, modifiedAt: lookedAt - ageMs })
}

export function runnerProcess(given: Partial<RunnerProcess> = {}): RunnerProcess {
  return {
    pid: 812,
    role: 'worker',
    uid: runnerUid,
    program: '/srv/honey-am-2/bin/Runner.Worker',
    place: 'here',
    ...given,
  }
}
