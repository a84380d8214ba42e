import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { filesIn } from '../records/index.ts'
import { machineClock } from './machine-clock.ts'
import { supervise } from './supervise.ts'

/*
 * The parent of one runner: `node main.ts <folder of the runner> <name of the runner>`. Only a parent learns how
 * a process ended, and Holdfast may be killed, so each runner has this small one, which outlives Holdfast.
 * On its standard output it reports once that the runner was started.
 */

// A service manager that stops Holdfast signals these too. The runner shall end by it; its supervisor shall not.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE'] as const) process.on(signal, () => undefined)

await supervise(filesIn(process.argv[2] ?? ''), machineClock(), reportStarted)
process.exit(0) // whatever a process that cannot be killed still holds open

function reportStarted(): void {
  try {
    // It stays open: a later pipe that got the number of standard output would make libuv abort when it is closed.
    writeSync(1, 'started\n')
  } catch {
    // Holdfast has ended meanwhile and will find the record
  }
  flushCompileCache() // for the next supervisor; by itself it would be written when this one ends
}
