import { createHash } from 'node:crypto'
import { readdir, readFile, realpath } from 'node:fs/promises'
import path from 'node:path'

/** Processes and cgroups that belong to this data folder; none may be there after a clean end. */
export async function leftovers(dataDir: string): Promise<string[]> {
  return [...(await processesOf(dataDir)), ...(await cgroupsOf(dataDir))]
}

async function processesOf(dataDir: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue
    const [command, environment] = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(path.join('/proc', pid, file), 'utf8').catch(() => '')),
    )
    if (command?.includes(dataDir) || environment?.includes(dataDir)) {
      found.push(`process ${pid}: ${command?.replaceAll('\0', ' ').slice(0, 120)}`)
    }
  }
  return found
}

/** The host names its groups after its folder; how deep they are depends on where this process itself is. */
const depthMax = 6

async function cgroupsOf(dataDir: string): Promise<string[]> {
  const folder = await realpath(path.join(dataDir, 'runners'))
  const base = `holdfast-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  const found: string[] = []
  const search = async (parent: string, depth: number): Promise<void> => {
    if (depth > depthMax) return
    for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue
      const child = path.join(parent, entry.name)
      if (entry.name === base) found.push(`cgroup ${child}`)
      else await search(child, depth + 1)
    }
  }
  await search('/sys/fs/cgroup', 0)
  return found
}
