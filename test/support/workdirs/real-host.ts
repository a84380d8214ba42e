import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  copyFile,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { RunnerHost } from '../../../src/domain/workdir/index.ts'
import type { HostActs } from '../../../src/ports/host-acts.ts'
import type { RunnerHosts } from '../../../src/ports/runner-hosts.ts'
import type { EntryLook, MadeHost } from '../../contract/runner-hosts/contract.ts'
import { temporaryFolder } from '../temporary.ts'

export interface RealHostOrder {
  readonly hosts: RunnerHosts
  readonly acts: HostActs
  /** The account of the runner: that of this process, unless it is root. */
  readonly ownerUid?: number
  readonly ssh?: RunnerHost['ssh']
  readonly whileReading: (work: string, act: () => Promise<unknown>) => void
}

/** A runner's folder on this machine, with real files and processes. */
export async function makeRealHost({
  hosts,
  acts,
  ownerUid,
  ssh = null,
  whileReading,
}: RealHostOrder): Promise<MadeHost> {
  const folder = await temporaryFolder('holdfast-workdir-')
  const own = ownerUid ?? process.getuid?.() ?? 0
  const [root, other] = ['runner', 'other'].map((name) => path.join(folder.path, name)) as [string, string]
  const work = path.join(root, '_work')
  const children: ChildProcess[] = []
  for (const each of [root, other, work]) await makeFolder(each, own)
  const below = (name: string | Buffer): Buffer => Buffer.concat([Buffer.from(`${work}/`), Buffer.from(name)])
  const makeParents = async (name: string): Promise<void> => {
    const parts = path.dirname(name).split('/')
    for (let count = 1; count <= parts.length; count += 1)
      await makeFolder(path.join(work, ...parts.slice(0, count)), own)
  }
  return {
    hosts,
    acts,
    host: {
      name: 'honey-am-2',
      root,
      workFolder: '_work',
      ownerUid: null,
      service: { kind: 'svc.sh' },
      ssh,
    },
    ownerUid: own,
    async directory(name, look) {
      await makeParents(name)
      await makeFolder(path.join(work, name), own)
      await dress(below(name), own, look)
    },
    async file(name, look) {
      await makeParents(name.toString('latin1'))
      await writeFile(below(name), '')
      await dress(below(name), own, look)
    },
    async symlink(name, target) {
      await makeParents(name)
      await symlink(target, path.join(work, name))
      await lchown(path.join(work, name), own, own)
    },
    async linkWorkFolder(to) {
      await rename(work, path.join(root, 'moved'))
      await symlink(to === 'folder' ? 'moved' : 'nothing', work)
    },
    async start(name, where) {
      const program = path.join(
        where === 'here' || where === 'ended' ? root : other,
        where === 'unknown' ? 'gone' : '',
        name,
      )
      await mkdir(path.dirname(program), { recursive: true })
      await copyFile('/bin/sleep', program)
      await chmod(program, 0o755)
      if (where === 'ended') return startEnded(program, children)
      const child = spawn(program, ['600'], { stdio: 'ignore' })
      children.push(child)
      await once(child, 'spawn')
      if (where === 'unknown') await rm(program)
      return child.pid ?? 0
    },
    whileReading: (act) => whileReading(work, act),
    list: async () => (await readdir(work, { recursive: true })).sort(),
    modeOf: async (name) => (await lstat(path.join(work, name))).mode & 0o7777,
    async replace(name) {
      const place = name === '' ? root : path.join(work, name)
      await rename(place, path.join(folder.path, 'before'))
      await run('cp', ['-a', path.join(folder.path, 'before'), place])
    },
    async link(name) {
      await rename(path.join(work, name), path.join(other, name))
      await symlink(path.join(other, name), path.join(work, name))
    },
    async installService(kind) {
      await chown(root, 0, 0)
      await putService(root, kind)
    },
    async [Symbol.asyncDispose]() {
      await stopListener(root)
      for (const child of children) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      await folder[Symbol.asyncDispose]()
    },
  }
}

const run = promisify(execFile)

/** A process that ended under a parent that never asks for its end: `sleep`, which took the place of its shell. */
async function startEnded(program: string, children: ChildProcess[]): Promise<number> {
  const parent = spawn('sh', ['-c', '"$0" 600 & echo $!; exec sleep 600', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(parent)
  const [text] = await once(parent.stdout, 'data')
  const pid = Number(text)
  while ((await readFile(`/proc/${parent.pid}/comm`, 'utf8')) !== 'sleep\n') await setTimeout(10)
  process.kill(pid, 'SIGKILL')
  while (!(await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z ')) await setTimeout(10)
  return pid
}

/** A service that needs no systemd. Its Listener outlives the session that starts it, as a real one does. */
async function putService(root: string, kind: string): Promise<void> {
  const listener = path.join(root, 'Runner.Listener')
  await copyFile('/bin/sleep', listener)
  await chmod(listener, 0o755)
  const lines = [
    '#!/bin/sh',
    'case $1 in',
    `  start) setsid ${listener} 600 & echo $! > listener.pid ;;`,
    '  stop) kill "$(cat listener.pid)"; rm listener.pid ;;',
    'esac',
  ]
  const script = path.join(root, kind === 'a symlink' ? 'elsewhere.sh' : 'svc.sh')
  await writeFile(script, kind === 'failing' ? '#!/bin/sh\nexit 3\n' : lines.join('\n'))
  await chmod(script, 0o755)
  if (kind === 'of another account') await chown(script, 1001, 1001)
  if (kind === 'a symlink') await symlink(script, path.join(root, 'svc.sh'))
}

async function stopListener(root: string): Promise<void> {
  const pid = Number(await readFile(path.join(root, 'listener.pid'), 'utf8').catch(() => ''))
  if (pid > 1) process.kill(pid, 'SIGKILL')
}

async function makeFolder(folder: string, uid: number): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) !== undefined) await chown(folder, uid, uid)
}

async function dress(file: Buffer, own: number, { mode, uid, ageMs }: EntryLook = {}): Promise<void> {
  await chown(file, uid ?? own, uid ?? own)
  if (mode !== undefined) await chmod(file, mode)
  if (ageMs !== undefined) await utimes(file, new Date(), new Date(Date.now() - ageMs))
}
