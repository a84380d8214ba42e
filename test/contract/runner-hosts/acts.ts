import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FolderMode, FolderTarget, ServiceTarget } from '../../../src/domain/workdir/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import type { MadeHost } from './contract.ts'

const never = new AbortController().signal

/** The contract of acts on runner hosts. Real hosts need root: entries of other accounts, and a service of root. */
export function hostActsContract(name: string, make: () => Promise<MadeHost>, isPossible: boolean): void {
  if (!isPossible) console.warn(`NOT TRIED, acts on ${name}: they need root`)
  const withMade = async (act: (made: MadeHost) => Promise<void>): Promise<void> => {
    const made = untilTestEnds(await make())
    await made.directory('web/web/dist', { uid: 0 })
    await made.file('web/web/dist/app.js', { uid: 0 })
    await made.directory('api/api')
    await made.file('api/api/kept')
    await act(made)
  }
  const others = ['api', 'api/api', 'api/api/kept']
  const all = [...others, 'web', 'web/web', 'web/web/dist', 'web/web/dist/app.js']
  const treat = async (made: MadeHost, target: FolderTarget) =>
    made.acts.treatFolder(made.host, target, never)

  describe.skipIf(!isPossible)(`the contract of acts on hosts: ${name}`, { timeout: 60_000 }, () => {
    it('empties the folder of one repository, and touches no other', () =>
      withMade(async (made) => {
        expect(await treat(made, await targetOf(made, 'web'))).toBe('done')
        expect(await made.list()).toEqual([...others, 'web'])
      }))

    it('removes the folder itself where the runner could not write it', () =>
      withMade(async (made) => {
        await made.directory('docs', { uid: 0 })
        await made.file('docs/a', { uid: 0 })
        expect(await treat(made, await targetOf(made, 'docs'))).toBe('done')
        expect(await made.list()).toEqual(all)
      }))

    it('unlocks directories of the runner, and changes nothing else', () =>
      withMade(async (made) => {
        await made.directory('mod/mod/locked/deep', { mode: 0o555 })
        await made.directory('mod/mod/locked', { mode: 0o555 })
        await made.file('mod/mod/locked/deep/a', { mode: 0o444 })
        await made.directory('mod/mod/theirs', { uid: 0, mode: 0o555 })
        expect(await treat(made, await targetOf(made, 'mod', 'unlock'))).toBe('done')
        const modes = ['locked', 'locked/deep', 'locked/deep/a', 'theirs'].map((each) => `mod/mod/${each}`)
        expect(await Promise.all(modes.map((each) => made.modeOf(each)))).toEqual([
          0o755, 0o755, 0o444, 0o555,
        ])
      }))

    it('follows no symlink out of the folder', () =>
      withMade(async (made) => {
        const outside = untilTestEnds(await temporaryFolder('holdfast-outside-'))
        await mkdir(path.join(outside.path, 'kept'))
        await writeFile(path.join(outside.path, 'kept/precious'), '')
        await made.symlink('web/web/out', outside.path)
        await made.symlink('web/web/other', '../../api')
        expect(await treat(made, await targetOf(made, 'web'))).toBe('done')
        expect(await made.list()).toEqual([...others, 'web'])
        expect(await readdir(path.join(outside.path, 'kept'))).toEqual(['precious'])
      }))

    it('does nothing where the folder became a symlink', () =>
      withMade(async (made) => {
        const target = await targetOf(made, 'web')
        await made.link('web')
        await expect(treat(made, target)).rejects.toThrow('symlink')
      }))

    it('does nothing where the work folder became a symlink', () =>
      withMade(async (made) => {
        const target = await targetOf(made, 'web')
        await made.linkWorkFolder('folder')
        await expect(treat(made, target)).rejects.toThrow('symlink')
      }))

    it.each(['web', ''])('does nothing where another folder took the place of "%s"', (replaced) =>
      withMade(async (made) => {
        const target = await targetOf(made, 'web')
        await made.replace(replaced)
        expect(await treat(made, target)).toBe('conflict')
        expect(await made.list()).toEqual(all)
      }),
    )

    it('says that a folder is gone', () =>
      withMade(async (made) => {
        const target = await targetOf(made, 'web')
        expect(await treat(made, { ...target, folder: 'gone' })).toBe('gone')
      }))

    it.each([
      ['Runner.Worker', 'here'],
      ['Runner.Worker', 'unknown'],
      ['Runner.Listener', 'here'],
      ['Runner.Listener', 'unknown'],
    ] as const)('does nothing while a %s is %s', (process, where) =>
      withMade(async (made) => {
        const target = await targetOf(made, 'web')
        await made.start(process, where)
        await expect(treat(made, target)).rejects.toThrow(process)
        expect(await made.list()).toEqual(all)
      }),
    )

    it('acts while a Worker of another runner is at work', () =>
      withMade(async (made) => {
        await made.start('Runner.Worker', 'elsewhere')
        expect(await treat(made, await targetOf(made, 'web'))).toBe('done')
      }))

    it.each(['../api', '.', '..', '-delete', '$(reboot)', 'web\napi', 'web/web', '_temp', ''])(
      'refuses the folder %j',
      (folder) =>
        withMade(async (made) => {
          const target = { ...(await targetOf(made, 'web')), folder }
          await expect(treat(made, target)).rejects.toThrow('safe to use')
          expect(await made.list()).toEqual(all)
        }),
    )

    it.each([
      { root: '/srv/$(reboot)' },
      { root: '/srv/../etc' },
      { root: '/srv\n/etc' },
      { workFolder: '../etc' },
      { workFolder: '-delete' },
    ])('refuses a host with %j', (given) =>
      withMade(async (made) => {
        const target = await targetOf(made, 'web')
        const bad = { ...made.host, ...given }
        await expect(made.acts.treatFolder(bad, target, never)).rejects.toThrow('safe to use')
        const service = await serviceOf(made, 'stop')
        await expect(made.acts.controlService(bad, service, never)).rejects.toThrow('safe to use')
      }),
    )

    it('starts and stops the service', () =>
      withMade(async (made) => {
        await made.installService('own')
        const { acts, host } = made
        expect(await acts.controlService(host, await serviceOf(made, 'start'), never)).toBe('done')
        await expect.poll(async () => (await serviceOf(made, 'stop')).listeners).toHaveLength(1)
        expect(await acts.controlService(host, await serviceOf(made, 'stop'), never)).toBe('done')
        await expect.poll(async () => (await serviceOf(made, 'stop')).listeners).toEqual([])
      }))

    it('does not stop another Listener than the planned one, nor one whose Worker is at work', () =>
      withMade(async (made) => {
        await made.installService('own')
        const { acts, host } = made
        const target = await serviceOf(made, 'stop')
        await made.start('Runner.Listener', 'here')
        expect(await acts.controlService(host, target, never)).toBe('conflict')
        await made.start('Runner.Worker', 'here')
        const busy = acts.controlService(host, await serviceOf(made, 'stop'), never)
        await expect(busy).rejects.toThrow('Runner.Worker')
        expect((await serviceOf(made, 'stop')).listeners).toHaveLength(1)
      }))

    it('does not touch the service of another root at the same path', () =>
      withMade(async (made) => {
        await made.installService('own')
        const target = await serviceOf(made, 'start')
        await made.replace('')
        expect(await made.acts.controlService(made.host, target, never)).toBe('conflict')
      }))

    it.each([
      ['of another account', /another account/],
      ['a symlink', /no svc\.sh/],
      ['failing', /ended with 3/],
    ] as const)('says so where svc.sh is %s', (kind, why) =>
      withMade(async (made) => {
        await made.installService(kind)
        const started = made.acts.controlService(made.host, await serviceOf(made, 'start'), never)
        await expect(started).rejects.toThrow(why)
        expect((await serviceOf(made, 'start')).listeners).toEqual([])
      }),
    )

    it('does not guess a service that is not declared', () =>
      withMade(async (made) => {
        await made.installService('own')
        const host = { ...made.host, service: null }
        const started = made.acts.controlService(host, await serviceOf(made, 'start'), never)
        await expect(started).rejects.toThrow('not declared')
      }))
  })
}

/** A folder as a plan would name it now. */
async function targetOf(made: MadeHost, folder: string, mode: FolderMode = 'remove'): Promise<FolderTarget> {
  const facts = await lookOf(made)
  const found = facts.top.find(({ name }) => name === folder)
  if (facts.folder.kind !== 'folder' || found === undefined) throw new Error(`there is no folder ${folder}`)
  const ids = { root: facts.folder.root.id, work: facts.folder.id, folder: found.id }
  return { folder, mode, ids, ownerUid: made.ownerUid }
}

async function serviceOf(made: MadeHost, verb: ServiceTarget['verb']): Promise<ServiceTarget> {
  const { folder, processes } = await lookOf(made)
  if (folder.kind !== 'folder') throw new Error('there is no work folder')
  const own = processes.filter(({ role, place }) => role === 'listener' && place !== 'elsewhere')
  const listeners = own.map(({ pid }) => pid).sort((a, b) => a - b)
  return { verb, rootId: folder.root.id, listeners }
}

async function lookOf({ hosts, host }: MadeHost) {
  const reading = await hosts.look(host, never)
  if (reading.kind === 'unreachable') throw new Error(reading.why)
  return reading.facts
}
