import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { deathListSchema, type Explanation, explanationSchema } from '../../src/api/index.ts'
import { outcomesOf, submit } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { holdfastJson } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

/** The forge's patience, so that the test need not wait for the usual 20 s. */
const env = { HOLDFAST_FORGE_SIMULATED_LOCK_RENEW_TIMEOUT_MS: '10000' }
const lookEveryMs = 1_000
/** The forge's patience, then the time that a runner has to go by itself, then the next look at it. */
const explainedWithinMs = 140_000

describe('a runner that freezes at work', { timeout: 300_000 }, () => {
  it('is explained as given up by the forge, while it lives and when it has ended', async () => {
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place, { env }))
    const ids = await submit(place, 'kill -STOP "$PPID"; sleep 170')
    await outcomesOf(place, ids)
    const [id] = (await holdfastJson<{ jobs: { id: number }[] }>(place, 'jobs', '--all')).jobs.map(
      (job) => job.id,
    )

    const living = await until(place, String(id), ({ verdict }) => verdict !== null)
    expect(living).toMatchObject({ verdict: { class: 'forge-gave-up', confidence: 'likely' }, sealed: null })
    expect(living.summary).toContain('the forge ended its job, and it lives on')

    const dead = await until(place, String(id), ({ sealed }) => sealed !== null)
    expect(dead).toMatchObject({ sealed: { class: 'forge-gave-up' }, isReached: true })
    expect(dead.verdict?.because.join(' ')).toMatch(/lived on for \d+ s.*used next to no processor time/)
    const { deaths: ends } = deathListSchema.parse(await holdfastJson(place, 'deaths'))
    expect(ends.map((end) => end.class)).toEqual(['forge-gave-up'])
  })
})

async function until(
  place: Place,
  id: string,
  wished: (explanation: Explanation) => boolean,
): Promise<Explanation> {
  const deadline = performance.now() + explainedWithinMs
  for (;;) {
    const explanation = explanationSchema.parse(await holdfastJson(place, 'explain', id))
    if (wished(explanation)) return explanation
    if (performance.now() > deadline) throw new Error(`not as wished: ${JSON.stringify(explanation)}`)
    await setTimeout(lookEveryMs)
  }
}
