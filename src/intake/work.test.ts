import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Parsed, Webhooks } from '../ports/webhooks.ts'
import { type IntakeDeps, intakeLoop, receive } from './index.ts'

function jobEvent(labels: readonly string[], forgeJobId = 7): JobEvent {
  const job = {
    installation: 'sim',
    forgeJobId,
    runId: 1,
    runAttempt: 1,
    visibility: 'private' as const,
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

function intakeOf(
  bench: ControlBench,
  parsed: Parsed | ((body: string) => Parsed),
  ledger: Partial<Ledger> = {},
): IntakeDeps {
  const webhooks: Webhooks = {
    verify: ({ headers }) =>
      headers.signature === 'good'
        ? { kind: 'genuine', guid: headers.guid ?? '', event: headers.event ?? 'workflow_job' }
        : { kind: 'refused', why: 'bad signature' },
    parse: (_event, body) => (typeof parsed === 'function' ? parsed(body) : parsed),
  }
  return { ...bench, ledger: { ...bench.ledger, ...ledger }, webhooks, installation: 'sim' }
}

const delivery = (guid: string, signature = 'good', body = '') => ({
  headers: { guid, signature },
  body: new TextEncoder().encode(body),
})
const stateOf = (bench: ControlBench) => bench.ledger.rows.deliveries.get('one')

describe('a webhook', () => {
  it('is stored once before it is worked on', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'stored', guid: 'one' })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'duplicate', guid: 'one' })
    expect(bench.ledger.rows.jobs.size).toBe(0)
    await intakeLoop(deps).pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(1)
    expect(stateOf(bench)).toMatchObject({ state: 'done', note: 'new' })
  })

  it('is not stored without a valid signature', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) })
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
      { kind: 'job-event', jobEvent: jobEvent(['ubuntu-latest']) } as const,
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

  it('stays pending while the ledger does not answer', async () => {
    const bench = await createControlBench()
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const deps = intakeOf(
      bench,
      { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) },
      { applyJobEvent: () => Promise.reject(away) },
    )
    await receive(delivery('one'), deps)
    await expect(intakeLoop(deps).pass(never)).rejects.toBe(away)
    expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: 0 })
  })

  it('is set aside with the reason after five failures, and not before', async () => {
    const bench = await createControlBench()
    const applyJobEvent = () => Promise.reject(new Error('a defect'))
    const deps = intakeOf(
      bench,
      { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) },
      { applyJobEvent },
    )
    await receive(delivery('one'), deps)
    for (let turn = 1; turn < 5; turn += 1) {
      await intakeLoop(deps).pass(never)
      expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: turn })
      await bench.advance(10_000)
    }
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)).toMatchObject({ state: 'poison', note: 'a defect' })
  })

  it('is stored under the job that it is about', async () => {
    const bench = await createControlBench()
    await receive(
      delivery('one'),
      intakeOf(bench, { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) }),
    )
    expect(stateOf(bench)?.subject).toBe('job 7')
  })

  it('is stored although no parser understands it', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'malformed', why: 'no id' })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'stored', guid: 'one' })
    expect(stateOf(bench)?.subject).toBeNull()
  })

  it('that is only a ping is answered, and not stored', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'ping' })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'pong', guid: 'one' })
    expect(bench.ledger.rows.deliveries.size).toBe(0)
    expect(bench.metrics.counts.get('holdfast_deliveries_total{pong}')).toBe(1)
  })

  it('does not overtake a failed one about the same job, but overtakes those about other jobs', async () => {
    const bench = await createControlBench()
    const applied: string[] = []
    let fails = true
    const deps = intakeOf(
      bench,
      (body) => ({ kind: 'job-event', jobEvent: jobEvent(['self-hosted'], Number(body[0])) }),
      {
        async applyJobEvent(event, cause, settles) {
          if (event.job.forgeJobId === 7 && fails) throw new Error('a defect')
          applied.push(`job ${event.job.forgeJobId}`)
          return bench.ledger.applyJobEvent(event, cause, settles)
        },
      },
    )
    for (const [guid, body] of [
      ['one', '7 queued'],
      ['two', '7 completed'],
      ['three', '8 queued'],
    ] as const) {
      await receive(delivery(guid, 'good', body), deps)
    }
    await intakeLoop(deps).pass(never)
    expect(applied).toEqual(['job 8'])
    fails = false
    await intakeLoop(deps).pass(never)
    expect(applied).toEqual(['job 8'])
    await bench.advance(10_000)
    await intakeLoop(deps).pass(never)
    expect(applied).toEqual(['job 8', 'job 7', 'job 7'])
  })

  it('does not wait for one about another job, but for earlier ones about its own', async () => {
    const bench = await createControlBench()
    const applied: string[] = []
    const last = Promise.withResolvers<void>()
    const deps = intakeOf(
      bench,
      (body) => ({ kind: 'job-event', jobEvent: jobEvent(['self-hosted'], Number(body)) }),
      {
        async applyJobEvent(event, cause, settles) {
          const { forgeJobId } = event.job
          applied.push(`job ${forgeJobId}`)
          if (forgeJobId === 7) await last.promise
          else last.resolve()
          return bench.ledger.applyJobEvent(event, cause, settles)
        },
      },
    )
    for (const [guid, body] of [
      ['one', '7'],
      ['two', '7'],
      ['three', '8'],
    ] as const) {
      await receive(delivery(guid, 'good', body), deps)
    }
    await intakeLoop(deps).pass(never)
    expect(applied).toEqual(['job 7', 'job 8', 'job 7'])
  })

  it('is settled and its event applied in one write', async () => {
    const bench = await createControlBench()
    const settleDelivery = () => Promise.reject(new Error('a second write'))
    const deps = intakeOf(
      bench,
      { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) },
      { settleDelivery },
    )
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)).toMatchObject({ state: 'done', note: 'new' })
  })

  it('is worked on in parallel with others, up to a bound, and all are', async () => {
    const bench = await createControlBench()
    let [atOnce, most] = [0, 0]
    const deps = intakeOf(
      bench,
      (body) => ({ kind: 'job-event', jobEvent: jobEvent(['self-hosted'], Number(body)) }),
      {
        async applyJobEvent(event, cause, settles) {
          atOnce += 1
          most = Math.max(most, atOnce)
          const result = await bench.ledger.applyJobEvent(event, cause, settles)
          atOnce -= 1
          return result
        },
      },
    )
    for (let n = 1; n <= 100; n += 1) await receive(delivery(`guid ${n}`, 'good', String(n)), deps)
    await intakeLoop(deps).pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(100)
    expect(most).toBe(64)
  })

  it.each([
    ['done', { kind: 'job-event', jobEvent: jobEvent(['self-hosted']) }],
    ['foreign', { kind: 'job-event', jobEvent: jobEvent(['ubuntu-latest']) }],
    ['ignored', { kind: 'ignored', why: 'a push' }],
    ['poison', { kind: 'malformed', why: 'no id' }],
  ] as const)('is counted as %s', async (outcome, parsed) => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, parsed)
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(bench.metrics.counts.get(`holdfast_deliveries_worked_total{${outcome},workflow_job}`)).toBe(1)
  })

  it('that every parser fails on is stored, tried and set aside, and those about other jobs are worked on in the same pass', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, (body) => {
      if (body === 'poison') throw new Error('a defect')
      return { kind: 'job-event', jobEvent: jobEvent(['self-hosted'], Number(body)) }
    })
    expect(await receive(delivery('one', 'good', 'poison'), deps)).toEqual({ kind: 'stored', guid: 'one' })
    for (const body of ['8', '9']) await receive(delivery(`guid ${body}`, 'good', body), deps)
    await intakeLoop(deps).pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(2)
    expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: 1, note: 'a defect' })
    for (let turn = 1; turn < 5; turn += 1) {
      await bench.advance(10_000)
      await intakeLoop(deps).pass(never)
    }
    expect(stateOf(bench)).toMatchObject({ state: 'poison', note: 'a defect' })
  })

  it('that cannot even be settled does not stop those about other jobs, and is retried', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(
      bench,
      (body) =>
        body === 'poison'
          ? { kind: 'malformed', why: 'no id' }
          : { kind: 'job-event', jobEvent: jobEvent(['self-hosted'], Number(body)) },
      { settleDelivery: () => Promise.reject(new Error('a defect')) },
    )
    for (const [guid, body] of [
      ['one', 'poison'],
      ['two', '8'],
    ] as const)
      await receive(delivery(guid, 'good', body), deps)
    await intakeLoop(deps).pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(1)
    expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: 0 })
    expect(bench.log.lines.some(({ message }) => message.includes('could not be settled'))).toBe(true)
  })

  it('for which the ledger does not answer stays pending, and those about other jobs are worked on', async () => {
    const bench = await createControlBench()
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const deps = intakeOf(
      bench,
      (body) => ({ kind: 'job-event', jobEvent: jobEvent(['self-hosted'], Number(body)) }),
      {
        applyJobEvent: (event, cause, settles) =>
          event.job.forgeJobId === 7
            ? Promise.reject(away)
            : bench.ledger.applyJobEvent(event, cause, settles),
      },
    )
    for (const [guid, body] of [
      ['one', '7'],
      ['two', '8'],
    ] as const)
      await receive(delivery(guid, 'good', body), deps)
    await expect(intakeLoop(deps).pass(never)).rejects.toBe(away)
    expect(bench.ledger.rows.deliveries.get('two')).toMatchObject({ state: 'done' })
    expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: 0 })
  })

  it('whose event is applied is done and counted once, although it is not known whether its job was lost', async () => {
    const bench = await createControlBench()
    const event = jobEvent(['self-hosted'])
    await bench.ledger.applyJobEvent(event, { source: 'webhook' })
    const ended: JobEvent = { ...event, status: 'completed', conclusion: 'failure' }
    const findJob = () => Promise.reject(new Error('a test'))
    const deps = intakeOf(bench, { kind: 'job-event', jobEvent: ended }, { findJob })
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)).toMatchObject({ state: 'done', tries: 1 })
    expect(bench.metrics.counts.get('holdfast_deliveries_worked_total{done,workflow_job}')).toBe(1)
    expect(bench.metrics.counts.has('holdfast_deliveries_worked_total{failed,workflow_job}')).toBe(false)
  })
})
