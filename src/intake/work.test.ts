import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import type { ForgeWord } from '../domain/binding/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Parsed, Webhooks } from '../ports/webhooks.ts'
import { type IntakeDeps, intakeLoop, receive } from './index.ts'

function word(labels: readonly string[]): ForgeWord {
  const job = {
    installation: 'sim',
    forgeJobId: 7,
    runId: 1,
    runAttempt: 1,
    repository: 'acme/web',
    name: 'test',
    labels,
  }
  return {
    job,
    status: 'queued',
    runnerName: null,
    conclusion: null,
    queuedAt: null,
    startedAt: null,
    completedAt: null,
  }
}

function intakeOf(bench: ControlBench, parsed: Parsed, ledger: Partial<Ledger> = {}): IntakeDeps {
  const webhooks: Webhooks = {
    verify: ({ headers }) =>
      headers.signature === 'good'
        ? { kind: 'genuine', guid: headers.guid ?? '', event: 'workflow_job' }
        : { kind: 'refused', why: 'bad signature' },
    parse: () => parsed,
  }
  return { ...bench, ledger: { ...bench.ledger, ...ledger }, webhooks, installation: 'sim' }
}

const delivery = (guid: string, signature = 'good') => ({
  headers: { guid, signature },
  body: new Uint8Array(),
})
const stateOf = (bench: ControlBench) => bench.ledger.rows.deliveries.get('one')

describe('a webhook', () => {
  it('is kept once before it is worked on', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'word', word: word(['self-hosted']) })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'stored', guid: 'one' })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'duplicate', guid: 'one' })
    expect(bench.ledger.rows.jobs.size).toBe(0)
    await intakeLoop(deps).pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(1)
    expect(stateOf(bench)).toMatchObject({ state: 'done', note: 'new' })
  })

  it('is not kept without a good signature', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'word', word: word(['self-hosted']) })
    expect(await receive(delivery('one', 'bad'), deps)).toEqual({ kind: 'refused', why: 'bad signature' })
    expect(bench.ledger.rows.deliveries.size).toBe(0)
  })

  it.each([
    [
      'of an event that does not concern us is ignored',
      { kind: 'ignored', why: 'a push' } as const,
      'ignored',
    ],
    [
      'about labels that nobody serves is ignored',
      { kind: 'word', word: word(['ubuntu-latest']) } as const,
      'ignored',
    ],
    ['that is not as documented is set aside', { kind: 'malformed', why: 'no id' } as const, 'poison'],
  ])('%s', async (_, parsed, state) => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, parsed)
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)?.state).toBe(state)
  })

  it('waits where it is while the ledger does not answer', async () => {
    const bench = await createControlBench()
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const deps = intakeOf(
      bench,
      { kind: 'word', word: word(['self-hosted']) },
      { hear: () => Promise.reject(away) },
    )
    await receive(delivery('one'), deps)
    await expect(intakeLoop(deps).pass(never)).rejects.toBe(away)
    expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: 0 })
  })

  it('is set aside with the reason after it failed five times, and not before', async () => {
    const bench = await createControlBench()
    const hear = () => Promise.reject(new Error('a defect'))
    const deps = intakeOf(bench, { kind: 'word', word: word(['self-hosted']) }, { hear })
    await receive(delivery('one'), deps)
    for (let turn = 1; turn < 5; turn += 1) {
      await intakeLoop(deps).pass(never)
      expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: turn })
      await bench.advance(10_000)
    }
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)).toMatchObject({ state: 'poison', note: 'a defect' })
  })
})
