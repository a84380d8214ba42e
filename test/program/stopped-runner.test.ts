import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type JobSummary, jobFileSchema } from '../../src/api/index.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { submit, truthOf, until } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { holdfastJson } from './support/program.ts'
import { startProgram } from './support/start-program.ts'

const sealedWithinMs = 30_000
const lookEveryMs = 100

describe('a job that the forge cancelled', { timeout: 120_000 }, () => {
  it('is lost where its runner reported that because it was stopped, and is not where a person cancelled it', async () => {
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place))
    const [reclaimed = 0] = await submit(place, working(place, 'reclaimed'))
    const [unwanted = 0] = await submit(place, working(place, 'unwanted'))
    const running = await until(place, [reclaimed, unwanted], ({ state }) => state === 'running')
    const pid = Number(await untilRead(pidFile(place, 'reclaimed')))
    await untilRead(pidFile(place, 'unwanted'))

    process.kill(pid, 'SIGTERM')
    await holdfastJson(place, 'cancel', String(running[1]?.id))
    const [lost, cancelled] = await until(place, [reclaimed, unwanted], ({ endedAt }) => endedAt !== null)
    expect(await truthOf(place, [reclaimed, unwanted])).toMatchObject([
      { conclusion: 'cancelled' },
      { conclusion: 'cancelled' },
    ])
    await untilSealed(place, [lost, cancelled])

    expect(await fileOf(place, lost)).toMatchObject({
      job: { state: 'lost', outcome: 'lost', conclusion: 'cancelled' },
      death: { class: 'terminated' },
    })
    expect(await fileOf(place, cancelled)).toMatchObject({
      job: { state: 'cancelled', outcome: 'cancelled', conclusion: 'cancelled' },
    })
    const metrics = await (await fetch(`${place.url}/metrics`)).text()
    expect(metrics).toMatch(/^holdfast_jobs_lost_total\{pool="[a-z]+"\} 1$/m)
  })
})

/** Writes down which process runs it, and works for longer than the test. */
function working(place: Place, name: string): string {
  return `echo "$PPID" > '${pidFile(place, name)}'; sleep 100`
}

function pidFile(place: Place, name: string): string {
  return path.join(place.shared, `${name}.pid`)
}

async function untilRead(file: string): Promise<string> {
  return within(
    `nothing in ${file}`,
    async () => (await readFile(file, 'utf8').catch(() => '')).trim() || null,
  )
}

async function untilSealed(place: Place, jobs: readonly (JobSummary | undefined)[]): Promise<void> {
  for (const job of jobs) {
    await within(`the runner of job ${job?.id} is not sealed`, async () => (await fileOf(place, job)).death)
  }
}

async function fileOf(place: Place, job: JobSummary | undefined) {
  return jobFileSchema.parse(await holdfastJson(place, 'job', String(job?.id)))
}

async function within<T>(otherwise: string, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + sealedWithinMs
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (performance.now() > deadline) throw new Error(otherwise)
    await setTimeout(lookEveryMs)
  }
}
