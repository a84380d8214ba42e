import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { deathListSchema, type Explanation, explanationSchema, type JobSummary } from '../../src/api/index.ts'
import { truthOf } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { holdfast, holdfastJson } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

const lookEveryMs = 500
/** The limit, the looks before and after it, the runner's next renewal, and its end. */
const endedWithinMs = 90_000

async function placeWith(pool: string): Promise<Place> {
  const place = untilTestEnds(await newPlace())
  const file = path.join(place.env.HOME as string, 'holdfast.yaml')
  await writeFile(file, `pools: [{ name: local, labels: [self-hosted, linux, local], ${pool} }]\n`)
  return { ...place, env: { ...place.env, HOLDFAST_CONFIG: file } }
}

describe('a pool with a limit for a job', { timeout: 300_000 }, () => {
  it('has a job that runs into it cancelled at the forge, its runner gone, and says why', async () => {
    const place = await placeWith('maxJobSeconds: 3')
    untilTestEnds(await startProgram(place))
    const submit = ['submit', '--script', 'sleep 600', '--wait']
    const { job, forgeJobId } = await holdfastJson<{ forgeJobId: number; job: JobSummary }>(place, ...submit)
    expect(job).toMatchObject({ state: 'cancelled', outcome: 'cancelled', requeues: 0 })
    expect((await truthOf(place, [forgeJobId]))[0]).toMatchObject({ conclusion: 'cancelled' })

    const dead = await until(place, String(job.id), ({ sealed }) => sealed !== null)
    expect(dead).toMatchObject({ verdict: { class: 'job-deadline', confidence: 'likely' } })
    expect(dead.verdict?.because.join(' ')).toMatch(/had run for \d+ of 3 s.*asked to cancel/)
    const { deaths } = deathListSchema.parse(await holdfastJson(place, 'deaths'))
    expect(deaths.map((end) => end.class)).toEqual(['job-deadline'])
    const { out } = await holdfast(place, 'job', String(job.id))
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'which is as long as its pool lets a job run. (recovery, job-deadline)',
    )
  })

  it('lets a job end that stays within it, and says how long it has run', async () => {
    const place = await placeWith('maxJobSeconds: 3600')
    untilTestEnds(await startProgram(place))
    const { forgeJobId } = await holdfastJson<{ forgeJobId: number }>(place, 'submit', '--script', 'sleep 8')
    const name = `simulated:${forgeJobId}`
    const explained = await untilSaid(place, name, /running/)
    expect(explained).toMatch(/it is running for 0 of 60 min/)
    await untilSaid(place, name, /completed/)
    expect((await truthOf(place, [forgeJobId]))[0]).toMatchObject({ conclusion: 'success' })
  })

  it('is refused where it is no time', async () => {
    const place = await placeWith('maxJobSeconds: 0')
    const { code, err } = await holdfast(place, 'up')
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/pools\[0\]\.maxJobSeconds .*got 0, expected an integer from 1 to/),
    })
  })
})

async function until(
  place: Place,
  id: string,
  wished: (explanation: Explanation) => boolean,
): Promise<Explanation> {
  const deadline = performance.now() + endedWithinMs
  for (;;) {
    const explanation = explanationSchema.parse(await holdfastJson(place, 'explain', id))
    if (wished(explanation)) return explanation
    if (performance.now() > deadline) throw new Error(`not as wished: ${JSON.stringify(explanation)}`)
    await setTimeout(lookEveryMs)
  }
}

async function untilSaid(place: Place, name: string, wished: RegExp): Promise<string> {
  const deadline = performance.now() + endedWithinMs
  for (;;) {
    const { out, err } = await holdfast(place, 'why', name)
    if (wished.test(out)) return out.replaceAll(/\s+/g, ' ')
    if (performance.now() > deadline) throw new Error(`not said: ${out}${err}`)
    await setTimeout(lookEveryMs)
  }
}
