import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../support/embedded.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.ts'
import { type Gate, newGate } from './support/gate.ts'
import { outcomesOf, startsAndEnds, submit } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { holdfastJson } from './support/program.ts'
import { type Program, startProgram } from './support/start-program.ts'

const crashProgram = fileURLToPath(new URL('../crash/program.ts', import.meta.url))
const simulatedRunner = fileURLToPath(new URL('../../sim/runner/main.ts', import.meta.url))
const foreignRing = { current: 'foreign', keys: { foreign: Buffer.alloc(32, 7).toString('base64') } }
const lookEveryMs = 50
const sealedWithinMs = 20_000

// These tests run in order: a configuration that is stored and not delivered yet meets a wrong key ring and a rotation.
describe('the keys that seal stored configurations', { timeout: 60_000 }, () => {
  let place: Place
  let database: TestDatabase
  let gate: Gate
  let program: Program
  let env: Record<string, string>
  let ids: number[]
  let firstKey: string

  beforeAll(async () => {
    place = await newPlace()
    database = await createEmptyDatabase()
    gate = newGate(place)
    // Runners register when the gate opens: until then their configurations stay stored.
    const runnerCommand = [
      'sh',
      '-c',
      `(${gate.script}) && exec "$@"`,
      'sh',
      process.execPath,
      simulatedRunner,
    ]
    const pools = [{ name: 'local', labels: ['self-hosted'], runnerCommand }]
    env = { DATABASE_URL: database.url, HOLDFAST_POOLS: JSON.stringify(pools) }
    const command = [process.execPath, crashProgram]
    const crashing = { command, args: [], env: { ...env, CRASH_AT: 'ledger.minted:after:1' } }
    program = await startProgram(place, crashing)
    ids = await submit(place, 'true')
    await program.ended
    firstKey = (await sealedWith(database))[0] as string
  })
  afterAll(async () => {
    await program?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('say clearly which of them is missing, and nothing that it sealed is lost', async () => {
    const ring = await readFile(ringOf(place), 'utf8')
    await replaceRing(place, JSON.stringify(foreignRing))
    program = await startProgram(place, { env })
    await program.says(
      new RegExp(`A secret was sealed with key \\\\"${firstKey}\\\\", which is not in the key ring`),
    )
    expect(await sealedWith(database)).toEqual([firstKey])
    expect(program.alive()).toBe(true)
    await replaceRing(place, ring)
    await untilSealed(database, `state = 'acknowledged'`, [firstKey])
  })

  it('are replaced while Holdfast runs: what was delivered stays as it is, what comes next has the new one', async () => {
    const { keyId } = await holdfastJson<{ keyId: string }>(place, 'keys', 'rotate')
    expect(keyId).not.toBe(firstKey)
    await program.says(new RegExp(`${keyId}.*the key ring was read again`))
    ids.push(...(await submit(place, 'true')))
    await untilSealed(database, `state = 'acknowledged'`, [firstKey, keyId])
  })

  it('change nothing about the jobs: each ends, run once, and no configuration stays stored', async () => {
    await gate.open()
    expect(await outcomesOf(place, ids)).toEqual(['success', 'success'])
    expect(await startsAndEnds(place, ids)).toEqual(['1 start, success', '1 start, success'])
    expect(await sealedWith(database)).toEqual([])
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
  })
})

/** The keys of the configurations that are stored now, oldest first. */
async function sealedWith({ url }: TestDatabase, where = 'true'): Promise<string[]> {
  const query = `select jit_key_id from attempts where jit is not null and ${where} order by id`
  return (await ask(url, query)).map((row) => String(row.jit_key_id))
}

async function untilSealed(database: TestDatabase, where: string, keys: readonly string[]): Promise<void> {
  const deadline = performance.now() + sealedWithinMs
  while (performance.now() < deadline) {
    if (JSON.stringify(await sealedWith(database, where)) === JSON.stringify(keys)) return
    await setTimeout(lookEveryMs)
  }
  expect(await sealedWith(database, where)).toEqual(keys)
}

function ringOf({ dataDir }: Place): string {
  return path.join(dataDir, 'keys.json')
}

async function replaceRing(place: Place, text: string): Promise<void> {
  const draft = `${ringOf(place)}.new`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, ringOf(place))
}
