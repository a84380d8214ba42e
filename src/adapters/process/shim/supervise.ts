import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { reasonOf } from '../../../domain/reason.ts'
import type { Clock } from '../../../ports/clock.ts'
import { uniqueFolders } from '../cgroup/index.ts'
import { createRing, renderTail, tailRingBytes } from '../output/index.ts'
import { identityOf, killRemains, type ProcessIdentity } from '../proc/index.ts'
import { createExclusive, type Layout, type StartRecord, writeRecord } from '../records/index.ts'
import { composeEnding, neverStarted } from './compose.ts'
import { keepLive } from './live.ts'
import { type Launched, launch } from './program.ts'
import { createSampler } from './sampler.ts'
import { writeEnding } from './write-ending.ts'

/** After everything was killed, nothing but an unkillable process keeps the output open. */
const outputCloseMs = 1_000

/** Starts the runner, keeps its newest output and samples, kills the processes that it leaves, and writes its ending. */
export async function supervise(files: Layout, clock: Clock, started: () => void): Promise<void> {
  const start = JSON.parse(readFileSync(files.start, 'utf8')) as StartRecord
  if (!(await createExclusive(files.claim, 'supervisor'))) return // given up as never started
  const shim = identityOf(process.pid)
  if (shim === null) throw new Error('the supervisor is not in /proc')
  const record = { name: start.name, pool: start.pool, shim }
  const unrecorded = await attempt(writeRecord(files.runner, { ...record, startedAt: null, runner: null }))
  if (unrecorded !== null) return finish(files, start, neverStarted(unrecorded, clock.now()), clock)

  const output = createRing(tailRingBytes)
  const program = launch(start, files.work, (chunk) => output.write(chunk))
  if (program.kind === 'failed') {
    await finish(files, start, neverStarted(program.reason, clock.now()), clock)
    return started()
  }
  const startedAt = clock.now()
  const leader = identityOf(program.pid)
  const sampler = createSampler(start.groups, program.pid, () => clock.now())
  const stopKeeping = keepLive(
    files.live,
    { sample: sampler.sample, samples: sampler.samples, output },
    clock,
  )
  // The job may have filled the disk or removed this folder already; it is watched all the same, and found as
  // the supervisor's one child.
  await attempt(writeRecord(files.runner, { ...record, startedAt, runner: leader }))
  started()

  const exit = await program.exit
  const endedAt = clock.now()
  sampler.sample()
  stopKeeping()
  const unkilled = await endRest(start, leader, clock)
  const outputWhole = await closed(program, clock)
  const facts = { exit, startedAt, endedAt, tail: renderTail(output), samples: sampler.samples() }
  await finish(files, start, composeEnding(start, files, { ...facts, unkilled, outputWhole }), clock)
}

/** Null when it worked, else why not. */
function attempt(work: Promise<void>): Promise<string | null> {
  return work.then(() => null, reasonOf)
}

/** Kills every process that a runner left at its end, also those that its job put into the background. */
async function endRest(
  start: StartRecord,
  leader: ProcessIdentity | null,
  clock: Clock,
): Promise<readonly number[]> {
  const cgroups = start.groups === null ? [] : uniqueFolders(start.groups.folders)
  const { name, host, user = null } = start
  return killRemains({ name, host, cgroups, leader, leaderEndedNow: true, user }, clock)
}

function closed(program: Extract<Launched, { kind: 'launched' }>, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(outputCloseMs, () => resolve(false))
    void program.outputClosed.then(() => {
      cancel()
      resolve(true)
    })
  })
}

async function finish(
  files: Layout,
  start: StartRecord,
  ending: ReturnType<typeof composeEnding>,
  clock: Clock,
): Promise<void> {
  await rm(files.secret, { force: true })
  await writeEnding(files, start, ending, clock)
  await rm(files.live, { force: true })
}
