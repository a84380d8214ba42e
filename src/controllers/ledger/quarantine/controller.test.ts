import { beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  never,
} from '../../../../test/support/control-bench.ts'
import { quarantineLoop } from './index.ts'

let bench: ControlBench
let pass: () => Promise<unknown>
beforeEach(async () => {
  bench = await createControlBench()
  pass = () => quarantineLoop(bench).pass(never)
})

/** A job that the forge refused as often as is allowed. */
async function quarantined(repository: string): Promise<number> {
  const id = await bench.queue(repository)
  const runner = await bench.runner()
  const handle = `0000000${id}-1111-4111-8111-111111111111`
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, handle, 1_000)
  const failure = {
    reason: 'its name is odd',
    concerns: 'job',
    delayMs: 0,
    failuresMax: 1,
    incident: null,
  } as const
  await bench.ledger.mintFailed(handle, failure)
  return id
}

const incidents = () => bench.ledger.incidents(10)

describe('the incident of quarantined jobs', () => {
  it('is not open while no job is quarantined', async () => {
    await bench.queue()
    await pass()
    expect(await incidents()).toEqual([])
  })

  it('names the number of jobs, the oldest and why, and is opened once by all processes', async () => {
    const first = await quarantined('acme/web')
    await pass()
    await quarantined('acme/api')
    await pass()
    const reason = `2 jobs, the oldest job ${first} of acme/web: its name is odd`
    expect(await incidents()).toMatchObject([{ kind: 'jobs-quarantined', reason, closedAt: null }])
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  it('reports how many there are, although none of them can be read', async () => {
    await quarantined('acme/web')
    const ledger = { ...bench.ledger, jobs: async () => ({ rows: [], unreadable: [] }) }
    await quarantineLoop({ ...bench, ledger }).pass(never)
    expect(await incidents()).toMatchObject([{ reason: '1 job', closedAt: null }])
  })

  it('is closed also where its opening got no answer', async () => {
    const raiseIncident: typeof bench.ledger.raiseIncident = async (...args) => {
      await bench.ledger.raiseIncident(...args)
      throw new Error('no answer')
    }
    const ledger = { ...bench.ledger, raiseIncident }
    const loop = quarantineLoop({ ...bench, ledger })
    await loop.pass(never)
    const id = await quarantined('acme/web')
    await expect(loop.pass(never)).rejects.toThrow('no answer')
    await bench.ledger.release(id, cause)
    await loop.pass(never)
    expect(await incidents()).toMatchObject([{ closedAt: expect.any(Number) }])
  })

  it('is closed when a person released the last job', async () => {
    const id = await quarantined('acme/web')
    await pass()
    await bench.ledger.release(id, cause)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: expect.any(Number) }])
  })
})
