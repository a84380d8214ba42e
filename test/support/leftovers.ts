import { createHash } from 'node:crypto'
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import { uidOf } from '../../src/adapters/process/proc/index.ts'

/** Processes and cgroups that belong to this data folder, in words; none may be there after a clean end. */
export async function leftovers(dataDir: string): Promise<string[]> {
  const processes = (await processesOf(dataDir)).map(({ pid, command }) => `process ${pid}: ${command}`)
  const groups = (await cgroupsOf(dataDir)).map((folder) => `cgroup ${folder}`)
  return [...processes, ...groups, ...(await usersOf(dataDir)).map((uid) => `user ${uid}`)]
}

const commandLengthMax = 120

/** Every process that names the folder in its command or environment, works inside it, or is a user of its runners. */
export async function processesOf(dataDir: string): Promise<{ pid: number; command: string }[]> {
  const users = await usersOf(dataDir)
  const found: { pid: number; command: string }[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue
    const [command = '', environment = ''] = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(path.join('/proc', pid, file), 'utf8').catch(() => '')),
    )
    const workingFolder = await readlink(path.join('/proc', pid, 'cwd')).catch(() => '')
    const isUsers = users.length > 0 && users.includes((await uidOf(Number(pid))) ?? 0)
    if (isUsers || [command, environment, workingFolder].some((text) => text.includes(dataDir))) {
      found.push({ pid: Number(pid), command: command.replaceAll('\0', ' ').slice(0, commandLengthMax) })
    }
  }
  return found
}

/** Where runners of own users have their folders, unless the settings say otherwise. */
const jobsFolder = '/var/lib/holdfast-jobs'

/** The users that runners of this data folder have taken. */
async function usersOf(dataDir: string): Promise<number[]> {
  const names = await readdir(jobsFolder).catch(() => [])
  const owners = await Promise.all(
    names.map((name) => readFile(path.join(jobsFolder, name, 'owner.json'), 'utf8').catch(() => '')),
  )
  return names.filter((_, at) => owners[at]?.includes(`"${dataDir}/`)).map(Number)
}

/** Takes the users away from runners that a killed Holdfast left, once nothing of them lives. */
export async function removeUsers(dataDir: string): Promise<void> {
  for (const uid of await usersOf(dataDir))
    await rm(path.join(jobsFolder, String(uid)), { recursive: true, force: true })
}

/** The host names its groups after its folder; how deep they are depends on where this process itself is. */
const depthMax = 6

/** The runners' groups of this data folder. */
export async function cgroupsOf(dataDir: string): Promise<string[]> {
  const folder = await realpath(path.join(dataDir, 'runners')).catch(() => undefined)
  if (folder === undefined) return []
  const base = `holdfast-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  const found: string[] = []
  const search = async (parent: string, depth: number): Promise<void> => {
    if (depth > depthMax) return
    for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue
      const child = path.join(parent, entry.name)
      if (entry.name === base) found.push(child)
      else await search(child, depth + 1)
    }
  }
  await search('/sys/fs/cgroup', 0)
  return found
}
