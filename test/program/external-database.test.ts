import { describe, expect, it } from 'vitest'
import { ask } from '../support/embedded.ts'
import { leftovers } from '../support/leftovers.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { outcomesOf, startsAndEnds, submit } from './support/jobs.ts'
import { newPlace } from './support/place.ts'
import { launch } from './support/program.ts'
import { startProgram } from './support/start-program.ts'

const processes = 10

describe('DATABASE_URL', { timeout: 60_000 }, () => {
  it('is served from, across restarts, without an embedded server', async () => {
    const place = untilTestEnds(await newPlace())
    const env = { DATABASE_URL: untilTestEnds(await createEmptyDatabase()).url }
    const ids: number[] = []
    for (const life of [1, 2]) {
      const program = untilTestEnds(await startProgram(place, { env }))
      await program.says(/ledger +the Postgres of DATABASE_URL/)
      ids.push(...(await submit(place, 'true')))
      expect(await outcomesOf(place, ids)).toEqual(ids.map(() => 'success'))
      expect(await startsAndEnds(place, ids)).toHaveLength(life)
      const { code, out, err } = await program.end('SIGINT')
      expect(code).toBe(0)
      expect(`${out}${err}`).not.toContain(new URL(env.DATABASE_URL).password)
      expect(await leftovers(place.dataDir)).toEqual([])
    }
    expect(await ask(env.DATABASE_URL, 'select count(*)::int as jobs from jobs')).toEqual([{ jobs: 2 }])
  })

  it('is served from as a role that owns nothing, where another one migrates', async () => {
    const place = untilTestEnds(await newPlace())
    const { url, programUrl } = untilTestEnds(await createEmptyDatabase())
    const env = { DATABASE_URL: programUrl, HOLDFAST_DATABASE_MIGRATE_URL: url }
    const program = untilTestEnds(await startProgram(place, { env }))
    const ids = await submit(place, 'true')
    expect(await outcomesOf(place, ids)).toEqual(['success'])
    const { code, out, err } = await program.end('SIGINT')
    expect(code).toBe(0)
    expect(err).not.toContain('owns the ledger')
    expect(`${out}${err}`).not.toContain(new URL(url).password)
    await expect(ask(programUrl, 'delete from archived_jobs')).rejects.toMatchObject({ code: '42501' })
  })

  it('whose role owns the ledger is said at the start', async () => {
    const place = untilTestEnds(await newPlace())
    const env = { DATABASE_URL: untilTestEnds(await createEmptyDatabase()).url }
    const { ended } = untilTestEnds(launch(place, { args: ['migrate'], env }))
    const { code, err } = await ended
    expect({ code, isNamed: err.includes('owns the ledger') }).toEqual({ code: 0, isNamed: true })
  })

  it(`may be migrated by ${processes} processes at once: one does it, all are content`, async () => {
    const place = untilTestEnds(await newPlace())
    const env = { DATABASE_URL: untilTestEnds(await createEmptyDatabase()).url }
    const launched = Array.from({ length: processes }, () =>
      untilTestEnds(launch(place, { args: ['migrate', '--json'], env })),
    )
    const ends = await Promise.all(launched.map(({ ended }) => ended))
    expect(ends.map(({ code }) => code)).toEqual(Array(processes).fill(0))
    const applied = ends.flatMap(({ out }) => (JSON.parse(out) as { applied: string[] }).applied)
    expect(applied).toContain('0001_ledger.sql')
    expect(applied).toHaveLength(new Set(applied).size)
  })
})
