import { describe, expect, it } from 'vitest'
import type { ApiJobFile, WhyAnswer } from '../../src/api/index.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { askForge, outcomesOf, startsAndEnds, submit, until } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { holdfastJson } from './support/program.ts'
import { startProgram } from './support/start-program.ts'

const pools = [{ name: 'local', labels: ['self-hosted'], minWarm: 0, maxRunners: 2 }]
/** Quick audits and rules, so that each of them has met what waits before the test looks. */
const env = {
  HOLDFAST_POOLS: JSON.stringify(pools),
  HOLDFAST_RECOVERY_TICK_MS: '200',
  HOLDFAST_RECOVERY_AUDIT_EVERY_MS: '1000',
  HOLDFAST_SHUTDOWN_DRAIN_MS: '500',
}

interface Guarded {
  readonly id: number
  readonly run_id: number
}

/** A job that runs only once somebody approves it. */
async function submitGuarded(place: Place): Promise<Guarded> {
  const job = { repository: 'acme/web', name: 'deploy', labels: ['self-hosted'], script: 'true' }
  return (await askForge(place, 'jobs', { ...job, environment: 'production' })) as Guarded
}

async function fileOf(place: Place, forgeJobId: number): Promise<ApiJobFile> {
  const [job] = await until(place, [forgeJobId], () => true)
  return (await (await fetch(`${place.url}/v1/jobs/${job?.id}`)).json()) as ApiJobFile
}

describe('holdfast up with jobs that wait for an approval', { timeout: 120_000 }, () => {
  it('gives them no runner while they wait, runs an approved job once, and drops a rejected one', async () => {
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place, { env }))
    const [approved, rejected] = [await submitGuarded(place), await submitGuarded(place)]
    const waiting = await until(place, [approved.id, rejected.id], ({ state }) => state === 'queued')

    // Jobs that need no approval overtake them, by webhook and by audit, one after the other.
    for (let n = 0; n < 2; n += 1) {
      expect(await outcomesOf(place, await submit(place, 'sleep 0.5'))).toEqual(['success'])
      await holdfastJson(place, 'forge', 'resync')
    }
    for (const { id } of waiting) {
      const why = await holdfastJson<WhyAnswer>(place, 'why', String(id))
      expect(why).toMatchObject({ reason: 'awaiting-approval' })
    }
    expect((await fileOf(place, approved.id)).attempts).toEqual([])
    expect((await fileOf(place, rejected.id)).attempts).toEqual([])

    await askForge(place, `runs/${approved.run_id}/review`, { approved: true })
    await askForge(place, `runs/${rejected.run_id}/review`, { approved: false })
    expect(await outcomesOf(place, [approved.id])).toEqual(['success'])
    expect(await startsAndEnds(place, [approved.id])).toEqual(['1 start, success'])
    expect((await fileOf(place, approved.id)).attempts).toHaveLength(1)
    expect(await outcomesOf(place, [rejected.id])).toEqual(['failure'])
    expect(await startsAndEnds(place, [rejected.id])).toEqual(['0 start, failure'])
    expect((await fileOf(place, rejected.id)).attempts).toEqual([])
  })
})
