import { describe, expect, it } from 'vitest'
import type { JobSummary } from '../../src/api/index.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { startsAndEnds } from './support/jobs.ts'
import { newPlace } from './support/place.ts'
import { holdfast, holdfastJson } from './support/program.ts'
import { startProgram } from './support/start-program.ts'

/** More than the simulated forge waits for a silent runner (`forge.simulated.lockRenewTimeoutMs`, 20 s). */
const jobSeconds = 25

describe('holdfast up with its default settings', { timeout: 90_000 }, () => {
  it(`runs a job of ${jobSeconds} s to its end, at the first attempt`, async () => {
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place))
    const submit = ['submit', '--script', `sleep ${jobSeconds}; echo done`, '--wait']
    const submitted = await holdfastJson<{ forgeJobId: number; job: JobSummary }>(place, ...submit)
    expect(submitted.job).toMatchObject({ state: 'completed', outcome: 'success', requeues: 0 })
    expect(await startsAndEnds(place, [submitted.forgeJobId])).toEqual(['1 start, success'])
  })

  it('refuses a patience of the forge with which no job could be kept', async () => {
    const place = untilTestEnds(await newPlace())
    const { code, err } = await holdfast(place, 'up', '--forge-simulated-lock-renew-timeout-ms', '50')
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('lockRenewTimeoutMs') })
  })
})
