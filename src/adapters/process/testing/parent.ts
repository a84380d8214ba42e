import { createProcessHost } from '../index.ts'
import { machineClock } from '../shim/machine-clock.ts'
import { endingOf, keepingLog } from './harness.ts'

/*
 * A stand-in for Holdfast that tests kill or run as another user:
 * `node parent.ts stay|once <folder> <runner> <shell script>`; prints its results as JSON.
 */
const [, , mode, folder = '', name = '', script = ''] = process.argv
const log = keepingLog()
const host = await createProcessHost({
  id: 'host-1',
  folder,
  clock: machineClock(),
  log,
  shape: () => ({
    command: ['/bin/sh', '-c', script],
    env: { PATH: process.env.PATH ?? '' },
    limits: { memoryMiB: 64 },
  }),
})
await host.start({ name, pool: 'pool', secret: 'a secret', avoidNodes: [] }, AbortSignal.timeout(20_000))
print({ started: name })
if (mode === 'once') {
  const ending = await endingOf(host, name)
  await host.release(name)
  print({ ending, cgroups: host.describe().cgroups, left: await host.list(), log: log.lines })
  await host[Symbol.asyncDispose]()
} else {
  setInterval(() => undefined, 60_000)
}

function print(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}
