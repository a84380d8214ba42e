import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** Processes and cgroups that belong to this data folder; none may be there after a clean end. */
export async function leftovers(dataDir: string): Promise<string[]> {
  return [...(await processesOf(dataDir)), ...(await cgroupsOf())]
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

/** Every cgroup folder of ours, in whichever hierarchy. */
async function cgroupsOf(): Promise<string[]> {
  const found: string[] = []
  const roots = ['/sys/fs/cgroup', ...(await folders('/sys/fs/cgroup'))]
  for (const root of roots) {
    for (const folder of await folders(root)) {
      if (!path.basename(folder).startsWith('holdfast-')) continue
      for (const runner of await folders(folder)) found.push(`cgroup ${runner}`)
    }
  }
  return found
}

async function folders(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(parent, entry.name))
}
