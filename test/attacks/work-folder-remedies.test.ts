import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { createHostActs, createSshHosts } from '../../src/adapters/workdir/index.ts'
import type { RunnerHost } from '../../src/domain/workdir/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { MadeHost } from '../contract/runner-hosts/contract.ts'
import { installSsh, type Sshd, startSshd } from '../support/sshd.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { createPausedFind, type PausedFind } from '../support/workdirs/paused-find.ts'
import { makeRealHost } from '../support/workdirs/real-host.ts'

const installMs = 300_000
const isRoot = process.getuid?.() === 0
const program = path.join(import.meta.dirname, '../../src/main/cli.ts')
const run = promisify(execFile)
if (!isRoot) console.warn('NOT TRIED, remedies of work folders over a real ssh: they need root')

let folder: TemporaryFolder
let findFolder: TemporaryFolder
let sshd: Sshd
let paused: PausedFind
beforeAll(async () => {
  await installSsh()
  folder = await temporaryFolder('holdfast-sshd-')
  findFolder = await temporaryFolder('holdfast-find-')
  paused = await createPausedFind(findFolder.path)
  sshd = await startSshd(folder.path, paused.runner)
}, installMs)
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
  await findFolder?.[Symbol.asyncDispose]()
})

/** A drained host behind the sshd, on which a container job of root left something, and a folder in order. */
async function ground() {
  const deps = { clock: createClock(), program: 'ssh', env: process.env }
  const sources = { hosts: createSshHosts(deps), acts: createHostActs(deps) }
  const { whileReading } = paused
  const made = untilTestEnds(
    await makeRealHost({ ...sources, ssh: sshd.target, ownerUid: 1001, whileReading }),
  )
  await made.directory('web/web/dist', { uid: 0 })
  await made.file('web/web/dist/app.js', { uid: 0 })
  await made.file('api/api/kept')
  const own = untilTestEnds(await temporaryFolder('holdfast-remedy-'))
  const holdfast = (...args: string[]) => holdfastOf(made, own.path, args)
  const planned = async (...args: string[]): Promise<string> => {
    const { code, out } = await holdfast(...args, '--json')
    expect(code, out).toBe(0)
    return JSON.parse(out).hash
  }
  const remediate = ['workdir', 'remediate', 'honey-am-2', 'web']
  const apply = async (hash: string) => holdfast(...remediate, '--apply', hash, '--confirm-drained')
  return { made, own, holdfast, planned, plan: () => planned(...remediate), apply }
}

const others = ['api', 'api/api', 'api/api/kept']
const all = [...others, 'web', 'web/web', 'web/web/dist', 'web/web/dist/app.js']

describe.skipIf(!isRoot)('remedies of a work folder over a real ssh', { timeout: 180_000 }, () => {
  it('leads from a contaminated host to one that takes jobs again', { timeout: 300_000 }, async () => {
    const { made, holdfast, planned, plan, apply } = await ground()
    await made.installService('own')
    const start = async (verb: string) =>
      holdfast('host', verb, 'honey-am-2', '--apply', await planned('host', verb, 'honey-am-2'))
    const next = async () => (await holdfast('workdir', 'reconcile')).out
    const service = spawn('sh', ['-c', 'exec ./svc.sh start'], { cwd: made.host.root, stdio: 'ignore' })
    await once(service, 'exit')
    expect(await next()).toContain('holdfast host drain honey-am-2')
    const blocked = await holdfast('workdir', 'remediate', 'honey-am-2', 'web')
    expect([blocked.code, blocked.out]).toEqual([5, expect.stringContaining('drain the host first')])
    expect(await start('drain')).toMatchObject({ code: 0 })
    expect(await next()).toContain('holdfast workdir remediate honey-am-2 web')
    const treated = await apply(await plan())
    expect([treated.code, treated.out]).toEqual([0, expect.stringContaining('Done and proven')])
    expect(await made.list()).toEqual([...others, 'web'])
    expect(await next()).toContain('holdfast host start honey-am-2')
    expect(await start('start')).toMatchObject({ code: 0 })
    expect(await holdfast('workdir', 'reconcile')).toMatchObject({ code: 0 })
    expect(await holdfast('trail', 'verify')).toMatchObject({ code: 0 })
  })

  it('removes symlinks, and nothing to which they lead', async () => {
    const { made, own, plan, apply } = await ground()
    await mkdir(path.join(own.path, 'precious/deep'), { recursive: true })
    await made.symlink('web/web/out', path.join(own.path, 'precious'))
    await symlink('/etc', path.join(made.host.root, '_work/web/web/dist/etc'))
    expect(await apply(await plan())).toMatchObject({ code: 0 })
    expect(await made.list()).toEqual([...others, 'web'])
    expect(await readdir(path.join(own.path, 'precious'))).toEqual(['deep'])
  })

  it.each<[string, (made: MadeHost) => Promise<unknown>]>([
    ['another root is at its path', (made) => made.replace('')],
    ['another folder is at its path', (made) => made.replace('web')],
    ['the folder is a symlink', (made) => made.link('web')],
    ['an owner changed', (made) => made.file('web/web/new', { uid: 7 })],
    ['a Worker is at work', (made) => made.start('Runner.Worker', 'here')],
  ])('does nothing where after the plan %s', async (_, change) => {
    const { made, plan, apply } = await ground()
    const hash = await plan()
    await change(made)
    const before = await made.list()
    expect(await apply(hash)).toMatchObject({ code: 8 })
    expect(await made.list()).toEqual(before)
  })

  it('does nothing where a Worker starts between re-check and act: the host looks by itself', async () => {
    const { made, plan, apply } = await ground()
    const hash = await plan()
    paused.beforeAct(() => made.start('Runner.Worker', 'here'))
    const { code, out } = await apply(hash)
    expect([code, out]).toEqual([8, expect.stringContaining('Runner.Worker is or may be at work')])
    expect(await made.list()).toEqual(all)
  })

  it('calls a person where a Worker starts after the host looked', async () => {
    const { made, plan, apply } = await ground()
    const hash = await plan()
    paused.beforeRemoval(() => made.start('Runner.Worker', 'here'))
    const { code, out } = await apply(hash)
    expect([code, out]).toEqual([7, expect.stringContaining('no-worker')])
  })

  it('does not repeat an act whose connection was lost, and reads again', async () => {
    const { made, plan, apply, holdfast } = await ground()
    const hash = await plan()
    const ended = Promise.withResolvers<void>()
    paused.beforeRemoval(async () => {
      await killSsh(started)
      await ended.promise
    })
    const { code, out } = await apply(hash).finally(ended.resolve)
    expect([code, out]).toEqual([7, expect.stringMatching(/not\s+repeated/)])
    // The host goes on by itself when its session is gone; the next look shows how it ended.
    await expect.poll(() => made.list(), { timeout: 30_000 }).toEqual([...others, 'web'])
    const again = await holdfast('workdir', 'remediate', 'honey-am-2', 'web')
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('it is in order')])
  })

  it('calls a person where an immutable file is left', async () => {
    const { made, plan, apply } = await ground()
    await made.file('web/web/forever')
    const file = path.join(made.host.root, '_work/web/web/forever')
    await run('chattr', ['+i', file])
    onTestFinished(async () => void (await run('chattr', ['-i', file])))
    const { code, out } = await apply(await plan())
    await run('chattr', ['-i', file])
    expect([code, out]).toEqual([7, expect.stringContaining('entries are left')])
    expect(await made.list()).toEqual([...others, 'web', 'web/web', 'web/web/forever'])
  })

  it('does nothing where something is mounted in the folder', async () => {
    const { made, own, plan, apply } = await ground()
    const bound = path.join(own.path, 'bound')
    await mkdir(path.join(bound, 'precious'), { recursive: true })
    const point = path.join(made.host.root, '_work/web/web/dist')
    await run('mount', ['--bind', bound, point])
    let isMounted = true
    const unmount = async () => {
      if (isMounted) await run('umount', [point])
      isMounted = false
    }
    onTestFinished(unmount)
    const { code, out } = await apply(await plan())
    await unmount()
    expect([code, out]).toEqual([8, expect.stringContaining('mounted')])
    expect(await readdir(bound)).toEqual(['precious'])
    expect(await made.list()).toEqual(all)
  })

  it('does not run a svc.sh that the runner’s account can write', async () => {
    const { made, planned, holdfast } = await ground()
    await made.installService('of another account')
    await made.start('Runner.Listener', 'here')
    const drain = ['host', 'drain', 'honey-am-2']
    const { code, out } = await holdfast(...drain, '--apply', await planned(...drain))
    expect([code, out]).toEqual([8, expect.stringContaining('another account')])
  })
})

/** The program that runs now, if any. */
let started: ChildProcess | null = null

/** The program itself, with a contract file that declares this host. */
async function holdfastOf(
  { host }: { readonly host: RunnerHost },
  own: string,
  args: readonly string[],
): Promise<{ code: number; out: string }> {
  const contract = path.join(own, 'contract.yaml')
  await writeFile(contract, stringify({ version: 1, runnerHosts: [host] }))
  const withContract = args[0] === 'trail' ? args : [...args, '--contract', contract]
  const child = spawn(process.execPath, [program, ...withContract], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, HOLDFAST_DATA_DIR: path.join(own, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started = child
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      out += text
    })
  const [code] = await once(child, 'close')
  return { code, out: out.replaceAll(/\n +/g, ' ') }
}

/** Ends the ssh client that the program has started. */
async function killSsh(of: ChildProcess | null): Promise<void> {
  const children = await readFile(`/proc/${of?.pid}/task/${of?.pid}/children`, 'utf8')
  for (const pid of children.trim().split(' ')) process.kill(Number(pid), 'SIGKILL')
}
