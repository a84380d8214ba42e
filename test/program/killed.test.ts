import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leftovers, processesOf } from '../support/leftovers.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { type Gate, newGate } from './support/gate.ts'
import { outcomesOf, startsAndEnds, submit, truthOf, until } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { type Program, startProgram } from './support/start-program.ts'

const atOnceMs = 15_000
/** A person's second signal comes later than the echo of a wrapper. */
const personMs = 600
/** Postgres gives its own processes five seconds. */
const goneMs = 15_000
/** A forge does not repeat events that it sent while the ledger was away: recovery finds them when a deadline passes. */
const shortDeadlines = {
  HOLDFAST_RECOVERY_TICK_MS: '500',
  HOLDFAST_RECOVERY_STALE_QUEUED_AFTER_MS: '3000',
  HOLDFAST_RECOVERY_AUDIT_EVERY_MS: '2000',
  HOLDFAST_DISPATCH_REGISTER_DEADLINE_MS: '4000',
  HOLDFAST_DISPATCH_START_DEADLINE_MS: '4000',
}

// These tests run in order: one job runs through all of these ends.
describe('a job that runs while Holdfast is ended rudely', { timeout: 60_000 }, () => {
  let place: Place
  let gate: Gate
  let program: Program
  let id = 0
  let runner: string | null | undefined

  beforeAll(async () => {
    place = await newPlace()
    gate = newGate(place)
    program = await startProgram(place)
    ;[id = 0] = await submit(place, gate.script)
    const [job] = await until(place, [id], ({ state }) => state === 'running')
    runner = job?.executor
  })
  afterAll(async () => {
    await program?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
  })

  it('survives SIGKILL: the next Holdfast finds it running on the same runner', async () => {
    expect(await program.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    program = await startProgram(place)
    expect(await until(place, [id], ({ state }) => state === 'running')).toMatchObject([{ executor: runner }])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'survives a second signal, which ends Holdfast and its Postgres at once: %s gives %i',
    async (second, code) => {
      program.kill('SIGTERM')
      await program.says(/waiting for running jobs/)
      await setTimeout(personMs)
      const sentAt = performance.now()
      expect(await program.end(second)).toMatchObject({ code })
      expect(performance.now() - sentAt).toBeLessThan(atOnceMs)
      await expect.poll(() => postgresOf(place), { timeout: goneMs }).toEqual([])
      program = await startProgram(place)
    },
  )

  it('ends with success after all, run once, and nothing of it is left', async () => {
    await gate.open()
    expect(await outcomesOf(place, [id])).toEqual(['success'])
    const [job] = await truthOf(place, [id])
    expect(job?.starts.map(({ runnerName }) => runnerName)).toEqual([runner])
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(await leftovers(place.dataDir)).toEqual([])
  })
})

describe('an embedded Postgres that is killed while jobs run', { timeout: 60_000 }, () => {
  it('comes back, and every job ends, run once', async () => {
    const place = untilTestEnds(await newPlace())
    const gate = newGate(place)
    const program = untilTestEnds(await startProgram(place, { env: shortDeadlines }))
    const ids = await submit(place, gate.script, gate.script, gate.script, 'true', 'sleep 1', 'true')
    await until(place, ids.slice(0, 3), ({ state }) => state === 'running')
    process.kill(await postmasterOf(place), 'SIGKILL')
    await gate.open() // their ends are reported while the ledger is away
    await program.says(/the embedded Postgres serves again/)

    ids.push(...(await submit(place, 'true')))
    expect(await outcomesOf(place, ids)).toEqual(ids.map(() => 'success'))
    expect(await startsAndEnds(place, ids)).toEqual(ids.map(() => '1 start, success'))
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(await leftovers(place.dataDir)).toEqual([])
  })
})

async function postmasterOf({ dataDir }: Place): Promise<number> {
  const text = await readFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n')[0])
}

/** Its server's processes, as text. */
async function postgresOf(place: Place): Promise<string[]> {
  const found = await processesOf(place.dataDir)
  return found.map(({ command }) => command).filter((command) => command.includes('postgres'))
}
