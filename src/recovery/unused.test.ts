import { describe, expect, it } from 'vitest'
import { type ControlBench, cause, createControlBench, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { removeUnused } from './unused.ts'

const laterMs = 60_000
const scope = { installation: 'sim', repository: 'acme/web' }

/** A configuration that was delivered before the forge gave its job to another runner; returns the runner's name there. */
async function takenElsewhere(bench: ControlBench): Promise<string> {
  const jobId = await bench.queue()
  const runner = await bench.runner()
  await bench.ledger.polled(runner.id)
  const claimed = await bench.ledger.claim(runner, '11111111-1111-4111-8111-111111111111', 60_000)
  if (claimed.kind !== 'claimed') throw new Error('nothing was claimed')
  const { handle, forgeRunnerName: name } = claimed.claim.attempt
  const minted = await bench.forge.mint({ scope, name, labels: ['self-hosted'] }, never)
  if (minted.kind !== 'minted') throw new Error('nothing was minted')
  await bench.ledger.minted(handle, minted.forgeRunnerId, bench.vault.seal(minted.jit, handle), 60_000)
  await bench.ledger.deliver(handle, 60_000)
  const { job } = (await bench.ledger.jobFile(jobId)) ?? {}
  const event = await bench.forge.readJob(scope, job?.forgeJobId as number, never)
  if (event === null) throw new Error('the forge does not know the job')
  await bench.ledger.applyJobEvent({ ...event, status: 'in_progress', runnerName: 'somebody-else' }, cause)
  return name
}

/** Another unused registration; returns its name. */
async function registrationOf(bench: ControlBench, name = 'linux-0002'): Promise<string> {
  const minted = await bench.forge.mint({ scope, name, labels: ['self-hosted'] }, never)
  if (minted.kind !== 'minted') throw new Error('nothing was minted')
  return name
}

const registration = (bench: ControlBench, name: string) => bench.forge.findRunner(scope, name, never)

describe('a registration whose job went elsewhere before its runner registered', () => {
  it('is removed, once', async () => {
    const bench = await createControlBench()
    const name = await takenElsewhere(bench)
    await bench.advance(laterMs)
    expect(await removeUnused(bench, never)).toBe(1)
    expect(await registration(bench, name)).toBeNull()
    expect(await removeUnused(bench, never)).toBe(0)
  })

  it('is left for a while, because its runner may be about to connect', async () => {
    const bench = await createControlBench()
    const name = await takenElsewhere(bench)
    expect(await removeUnused(bench, never)).toBe(0)
    expect(await registration(bench, name)).not.toBeNull()
    await bench.advance(laterMs)
    expect(await removeUnused(bench, never)).toBe(1)
  })

  it('is not removed where its runner connected after all', async () => {
    const bench = await createControlBench()
    const name = await takenElsewhere(bench)
    const online = async (...asked: Parameters<typeof bench.forge.findRunner>) => {
      const found = await bench.forge.findRunner(...asked)
      return found && { ...found, online: true }
    }
    await bench.advance(laterMs)
    const deps = { ...bench, forge: { ...bench.forge, findRunner: online } }
    expect(await removeUnused(deps, never)).toBe(0)
    expect(await registration(bench, name)).not.toBeNull()
  })

  it('is retried where the forge did not answer', async () => {
    const bench = await createControlBench()
    await takenElsewhere(bench)
    await bench.advance(laterMs)
    const away = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'findRunner', why: 'a test' })
    const silent = { ...bench, forge: { ...bench.forge, findRunner: () => Promise.reject(away) } }
    expect(await removeUnused(silent, never)).toBe(0)
    await bench.advance(laterMs)
    expect(await removeUnused(bench, never)).toBe(1)
  })

  it('is removed although another one fails by a defect of ours, which is retried', async () => {
    const bench = await createControlBench()
    const poison = await takenElsewhere(bench)
    const rows = await bench.ledger.unusedRegistrations('sim', 0)
    const good = await registrationOf(bench)
    await bench.advance(laterMs)
    const endedAt = rows[0]?.endedAt as number
    const unusedRegistrations = async () => [
      ...rows,
      { repository: 'acme/web', forgeRunnerName: good, endedAt },
    ]
    const findRunner: typeof bench.forge.findRunner = async (of, name, signal) => {
      if (name === poison) throw new Error('a test')
      return bench.forge.findRunner(of, name, signal)
    }
    const ledger = { ...bench.ledger, unusedRegistrations }
    const deps = { ...bench, ledger, forge: { ...bench.forge, findRunner } }
    expect(await removeUnused(deps, never)).toBe(1)
    expect(await registration(bench, good)).toBeNull()
    expect(await registration(bench, poison)).not.toBeNull()
    expect(bench.metrics.counts.get('holdfast_task_failures_total{audit}')).toBe(1)
    await bench.advance(laterMs)
    expect(await removeUnused(bench, never)).toBe(1)
    expect(await registration(bench, poison)).toBeNull()
  })
})
