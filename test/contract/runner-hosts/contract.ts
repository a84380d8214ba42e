import { describe, expect, it } from 'vitest'
import type { HostReading, RunnerHost, WorkFolderFacts } from '../../../src/domain/workdir/index.ts'
import type { HostActs } from '../../../src/ports/host-acts.ts'
import type { RunnerHosts } from '../../../src/ports/runner-hosts.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'

export interface EntryLook {
  readonly mode?: number
  /** Another account than the runner's; needs root. */
  readonly uid?: number
  readonly ageMs?: number
}

/** A host under test, and what jobs do to it. Paths are below the work folder; a Buffer is a name that is no UTF-8. */
export interface MadeHost extends AsyncDisposable {
  readonly hosts: RunnerHosts
  readonly acts: HostActs
  readonly host: RunnerHost
  readonly ownerUid: number
  directory(path: string, look?: EntryLook): Promise<void>
  file(path: string | Buffer, look?: EntryLook): Promise<void>
  symlink(path: string, target: string): Promise<void>
  /** Replaces the work folder by a symlink to another folder, or to nothing. */
  linkWorkFolder(to: 'folder' | 'nothing'): Promise<void>
  /**
   * Starts a process of this name: of this runner, of another on the same machine, or by a program that is no file there; or one that has
   * ended, and whose parent does not ask.
   */
  start(
    name: 'Runner.Worker' | 'Runner.Listener',
    where: 'here' | 'elsewhere' | 'unknown' | 'ended',
  ): Promise<number>
  /** Every path that is there now, in order. */
  list(): Promise<readonly string[]>
  modeOf(path: string): Promise<number>
  /** Moves a folder, or the root, away and puts one of the same name and content there. */
  replace(path: string): Promise<void>
  /** Moves a folder away and puts a symlink to it there. */
  link(path: string): Promise<void>
  /** Puts a svc.sh into the root, which starts and stops a Listener of this runner. */
  installService(kind: 'own' | 'of another account' | 'a symlink' | 'failing'): Promise<void>
  /** Calls back once, while the entries of the next look are being read. */
  whileReading(act: () => Promise<unknown>): void
}

const never = new AbortController().signal

/** The contract of runner hosts. `canChown`: whether entries of other accounts can be made. */
export function runnerHostsContract(name: string, make: () => Promise<MadeHost>, canChown: boolean): void {
  if (!canChown) console.warn(`NOT TRIED, entries of other accounts on ${name}: it needs root`)
  const withMade = async (act: (made: MadeHost) => Promise<void>): Promise<void> =>
    act(untilTestEnds(await make()))
  const look = async ({ hosts, host }: MadeHost): Promise<WorkFolderFacts> =>
    factsOf(await hosts.look(host, never))

  describe(`the contract of runner hosts: ${name}`, { timeout: 30_000 }, () => {
    it('finds nothing notable where everything belongs to the runner, and counts it', () =>
      withMade(async (made) => {
        await made.directory('web/web/src')
        await made.file('web/web/src/a.ts')
        await made.file('web/web/yarn.lock')
        await made.symlink('web/web/link', 'src')
        const { notable, cuts, entryCount, top, space, folder } = await look(made)
        expect({ notable, cuts, entryCount }).toEqual({ notable: [], cuts: [], entryCount: 6 })
        expect(top).toMatchObject([{ name: 'web', kind: 'directory', isEmpty: false }])
        expect(folder).toMatchObject({
          kind: 'folder',
          uid: made.ownerUid,
          root: { path: made.host.root, id: expect.stringMatching(/^\d+:\d+$/) },
        })
        expect(space?.freeBytes).toBeGreaterThan(0)
        expect(space?.totalBytes).toBeGreaterThanOrEqual(space?.freeBytes ?? 0)
      }))

    it('names directories without write bits, and locks of git with their age', () =>
      withMade(async (made) => {
        await made.directory('web/web/.git')
        await made.file('web/web/.git/index.lock', { ageMs: 3_600_000 })
        await made.directory('web/web/mod', { mode: 0o555 })
        const { notable, at } = await look(made)
        expect(sorted(notable)).toMatchObject([
          { path: 'web/web/.git/index.lock', kind: 'file', isReadable: true },
          { path: 'web/web/mod', kind: 'directory', mode: 0o555, uid: made.ownerUid },
        ])
        const ageMs = at - (sorted(notable)[0]?.modifiedAt ?? 0)
        expect(ageMs).toBeGreaterThan(3_590_000)
        expect(ageMs).toBeLessThan(3_700_000)
      }))

    it.skipIf(!canChown)('names entries of other accounts, of every kind', () =>
      withMade(async (made) => {
        await made.directory('web/web/dist', { uid: 0, mode: 0o755 })
        await made.file('web/web/dist/app.js', { uid: 0, mode: 0o640 })
        await made.file('api/api/key', { uid: 4_000_000_000 })
        const { notable, cuts } = await look(made)
        expect(cuts).toEqual([])
        expect(sorted(notable)).toMatchObject([
          { path: 'api/api/key', kind: 'file', uid: 4_000_000_000 },
          { path: 'web/web/dist', kind: 'directory', uid: 0, mode: 0o755 },
          { path: 'web/web/dist/app.js', kind: 'file', uid: 0, mode: 0o640 },
        ])
      }),
    )

    it('follows no symlink, wherever it leads', () =>
      withMade(async (made) => {
        await made.directory('web/web')
        await made.symlink('web/web/etc', '/etc')
        await made.symlink('out', '/')
        await made.symlink('web/web/loop', '..')
        const { entryCount, top, notable } = await look(made)
        expect({ entryCount, notable }).toEqual({ entryCount: 5, notable: [] })
        expect(top).toContainEqual(expect.objectContaining({ name: 'out', kind: 'symlink' }))
      }))

    it.each(['folder', 'nothing'] as const)(
      'does not look into a work folder that is a symlink to a %s',
      (to) =>
        withMade(async (made) => {
          await made.directory('web/web')
          await made.linkWorkFolder(to)
          expect(await look(made)).toMatchObject({ folder: { kind: 'symlink' }, top: [], entryCount: 0 })
        }),
    )

    it('says that there is no work folder where there is none', () =>
      withMade(async (made) => {
        const reading = await made.hosts.look({ ...made.host, workFolder: '_gone' }, never)
        expect(factsOf(reading).folder).toEqual({ kind: 'missing' })
        const elsewhere = await made.hosts.look({ ...made.host, root: '/nowhere/at/all' }, never)
        expect(factsOf(elsewhere).folder).toEqual({ kind: 'missing' })
      }))

    it('gives names as jobs made them, escaped, and runs none of them', () =>
      withMade(async (made) => {
        const names = [
          '$(touch pwned)',
          '-delete',
          '`id`',
          'a\'b"c',
          'line\nbreak',
          'back\\slash',
          '\u001b[2J',
          'é\u202E',
        ]
        for (const each of names) await made.file(`web/.git/${each}.lock`)
        await made.file(Buffer.from('web/.git/\xe9\xff.lock', 'latin1'))
        const { notable, entryCount } = await look(made)
        expect(entryCount).toBe(names.length + 3)
        expect(notable.map(({ path }) => path.replace('web/.git/', '')).sort()).toEqual(
          [
            '$(touch pwned).lock',
            '-delete.lock',
            '`id`.lock',
            'a\'b"c.lock',
            'line\\u{a}break.lock',
            'back\\\\slash.lock',
            '\\u{1b}[2J.lock',
            'é\\u{202e}.lock',
            '\\xe9\\xff.lock',
          ].sort(),
        )
      }))

    it.each([
      ['a root with a command in it', { root: '/srv/$(reboot)' }],
      ['a root that leaves itself', { root: '/srv/../etc' }],
      ['a root of two lines', { root: '/srv\n/etc' }],
      ['a work folder that is a path', { workFolder: '../etc' }],
      ['a work folder that is an option', { workFolder: '-delete' }],
    ])('refuses %s', (_, given) =>
      withMade(async ({ hosts, host }) => {
        expect(await hosts.look({ ...host, ...given }, never)).toMatchObject({ kind: 'unreachable' })
      }),
    )

    it('sees Workers and Listeners, and which of them belong to another runner', () =>
      withMade(async (made) => {
        const here = await made.start('Runner.Worker', 'here')
        const elsewhere = await made.start('Runner.Worker', 'elsewhere')
        const gone = await made.start('Runner.Worker', 'unknown')
        const listener = await made.start('Runner.Listener', 'here')
        const { processes, areProcessesWhole } = await look(made)
        expect(areProcessesWhole).toBe(true)
        const own = processes.filter(({ pid }) => [here, elsewhere, gone, listener].includes(pid))
        expect(own.map(({ pid, role, place }) => [pid, role, place]).sort()).toEqual(
          [
            [here, 'worker', 'here'],
            [elsewhere, 'worker', 'elsewhere'],
            [gone, 'worker', 'unknown'],
            [listener, 'listener', 'here'],
          ].sort(),
        )
      }))

    it('does not take a process that has ended for one', () =>
      withMade(async (made) => {
        const pid = await made.start('Runner.Worker', 'ended')
        const { processes } = await look(made)
        expect(processes.filter((each) => each.pid === pid)).toEqual([])
      }))

    it('sees a Worker that starts while the entries are being read', () =>
      withMade(async (made) => {
        await made.directory('web/web')
        let pid = 0
        made.whileReading(async () => {
          pid = await made.start('Runner.Worker', 'here')
        })
        const { processes } = await look(made)
        expect(pid).toBeGreaterThan(0)
        expect(processes).toContainEqual(expect.objectContaining({ pid, role: 'worker', place: 'here' }))
      }))

    it('ends with the signal', () =>
      withMade(async ({ hosts, host }) => {
        await expect(hosts.look(host, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
      }))
  })
}

function factsOf(reading: HostReading): WorkFolderFacts {
  if (reading.kind === 'unreachable') throw new Error(`unreachable: ${reading.why}`)
  return reading.facts
}

function sorted(notable: WorkFolderFacts['notable']): WorkFolderFacts['notable'] {
  return notable.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
