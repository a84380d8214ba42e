import { createHash } from 'node:crypto'
import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'

/** Processes and cgroups that belong to this data folder, in words; none may be there after a clean end. */
export async function leftovers(dataDir: string): Promise<string[]> {
  const processes = (await processesOf(dataDir)).map(({ pid, command }) => `process ${pid}: ${command}`)
  return [...processes, ...(await cgroupsOf(dataDir)).map((folder) => `cgroup ${folder}`)]
}

const commandLengthMax = 120

/** Every process that names the folder in its command or environment, or that works inside it. */
export async function processesOf(dataDir: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue
    const [command = '', environment = ''] = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(path.join('/proc', pid, file), 'utf8').catch(() => '')),
    )
    const workingFolder = await readlink(path.join('/proc', pid, 'cwd')).catch(() => '')
    if ([command, environment, workingFolder].some((text) => text.includes(dataDir))) {
      found.push({ pid: Number(pid), command: command.replaceAll('\0', ' ').slice(0, commandLengthMax) })
    }
  }
  return found
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
