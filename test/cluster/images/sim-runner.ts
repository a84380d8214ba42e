import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Image } from './archive.ts'
import { busyboxEntries } from './busybox.ts'
import { programEntries } from './libraries.ts'
import { pollerEntries } from './poller.ts'
import type { Entry } from './tar.ts'

/** A runner of the simulated forge, that runs a job's script with busybox; it can poll itself as well. */
export const simRunnerImage = 'holdfast.test/sim-runner:1'

const node = '/usr/bin/node'
const folder = 'opt/holdfast/sim'
const home = 'home/runner'
const source = fileURLToPath(new URL('../../../sim/', import.meta.url))

/** The program of its container: a launcher appends where the configuration is. */
export const simRunnerCommand = [node, '--disable-warning=ExperimentalWarning', `/${folder}/runner/main.ts`]

/** The image of the simulator's runner, of what this machine has; any user may run it. */
export async function makeSimRunnerImage(busybox: string): Promise<Image> {
  const runner = (await readdir(path.join(source, 'runner'))).filter((name) => !name.endsWith('.test.ts'))
  const files = [...runner.map((name) => `runner/${name}`), 'forge/jit.ts']
  const sources = files.map(
    async (name): Promise<Entry> => ({
      kind: 'file',
      path: `${folder}/${name}`,
      content: await readFile(path.join(source, name)),
    }),
  )
  return {
    name: simRunnerImage,
    entries: [
      ...(await busyboxEntries(busybox)),
      ...(await pollerEntries()),
      ...(await programEntries(process.execPath, node)),
      { kind: 'file', path: `${folder}/package.json`, content: '{"type":"module"}' },
      ...(await Promise.all(sources)),
      { kind: 'folder', path: home, mode: 0o777 },
    ],
    command: simRunnerCommand,
    user: '1001',
    workingDir: `/${home}`,
    environment: ['PATH=/usr/bin:/bin', `HOME=/${home}`],
  }
}
