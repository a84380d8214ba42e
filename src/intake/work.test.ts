import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import type { ForgeWord } from '../domain/binding/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Parsed, Webhooks } from '../ports/webhooks.ts'
import { type IntakeDeps, intakeLoop, receive } from './index.ts'

function word(labels: readonly string[], forgeJobId = 7): ForgeWord {
  const job = {
    installation: 'sim',
    forgeJobId,
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

  it('is kept under the job that it is about', async () => {
    const bench = await createControlBench()
    await receive(delivery('one'), intakeOf(bench, { kind: 'word', word: word(['self-hosted']) }))
    expect(stateOf(bench)?.subject).toBe('job 7')
  })

  it('is kept although nobody understands it', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'malformed', why: 'no id' })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'stored', guid: 'one' })
    expect(stateOf(bench)?.subject).toBeNull()
  })

  it('that only asks whether we are there is answered, and not kept', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, { kind: 'ping' })
    expect(await receive(delivery('one'), deps)).toEqual({ kind: 'pong', guid: 'one' })
    expect(bench.ledger.rows.deliveries.size).toBe(0)
    expect(bench.metrics.counts.get('holdfast_deliveries_total{pong}')).toBe(1)
  })

  it('does not overtake one about the same job that failed, and those about other jobs do', async () => {
    const bench = await createControlBench()
    const heard: string[] = []
    let fails = true
    const deps = intakeOf(bench, (body) => ({ kind: 'word', word: word(['self-hosted'], Number(body[0])) }), {
      async hear(said, cause, settles) {
        if (said.job.forgeJobId === 7 && fails) throw new Error('a defect')
        heard.push(`job ${said.job.forgeJobId}`)
        return bench.ledger.hear(said, cause, settles)
      },
    })
    for (const [guid, body] of [
      ['one', '7 queued'],
      ['two', '7 completed'],
      ['three', '8 queued'],
    ] as const) {
      await receive(delivery(guid, 'good', body), deps)
    }
    await intakeLoop(deps).pass(never)
    expect(heard).toEqual(['job 8'])
    fails = false
    await intakeLoop(deps).pass(never)
    expect(heard).toEqual(['job 8'])
    await bench.advance(10_000)
    await intakeLoop(deps).pass(never)
    expect(heard).toEqual(['job 8', 'job 7', 'job 7'])
  })

  it('does not wait for one about another job, but for those before it about its own', async () => {
    const bench = await createControlBench()
    const heard: string[] = []
    const last = Promise.withResolvers<void>()
    const deps = intakeOf(bench, (body) => ({ kind: 'word', word: word(['self-hosted'], Number(body)) }), {
      async hear(said, cause, settles) {
        const { forgeJobId } = said.job
        heard.push(`job ${forgeJobId}`)
        if (forgeJobId === 7) await last.promise
        else last.resolve()
        return bench.ledger.hear(said, cause, settles)
      },
    })
    for (const [guid, body] of [
      ['one', '7'],
      ['two', '7'],
      ['three', '8'],
    ] as const) {
      await receive(delivery(guid, 'good', body), deps)
    }
    await intakeLoop(deps).pass(never)
    expect(heard).toEqual(['job 7', 'job 8', 'job 7'])
  })

  it('is settled with its word in one write', async () => {
    const bench = await createControlBench()
    const settleDelivery = () => Promise.reject(new Error('a second write'))
    const deps = intakeOf(bench, { kind: 'word', word: word(['self-hosted']) }, { settleDelivery })
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)).toMatchObject({ state: 'done', note: 'new' })
  })

  it('is one of a bounded number that are worked on at the same time, and all are', async () => {
    const bench = await createControlBench()
    let [atOnce, most] = [0, 0]
    const deps = intakeOf(bench, (body) => ({ kind: 'word', word: word(['self-hosted'], Number(body)) }), {
      async hear(said, cause, settles) {
        atOnce += 1
        most = Math.max(most, atOnce)
        const heard = await bench.ledger.hear(said, cause, settles)
        atOnce -= 1
        return heard
      },
    })
    for (let n = 1; n <= 100; n += 1) await receive(delivery(`guid ${n}`, 'good', String(n)), deps)
    await intakeLoop(deps).pass(never)
    expect(bench.ledger.rows.jobs.size).toBe(100)
    expect(most).toBe(64)
  })

  it.each([
    ['done', { kind: 'word', word: word(['self-hosted']) }],
    ['foreign', { kind: 'word', word: word(['ubuntu-latest']) }],
    ['ignored', { kind: 'ignored', why: 'a push' }],
    ['poison', { kind: 'malformed', why: 'no id' }],
  ] as const)('is counted as %s', async (outcome, parsed) => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, parsed)
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(bench.metrics.counts.get(`holdfast_deliveries_worked_total{${outcome},workflow_job}`)).toBe(1)
  })

  it('that no parser survives is kept, tried and set aside, and those about other jobs are worked on in the same pass', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(bench, (body) => {
      if (body === 'poison') throw new Error('a defect')
      return { kind: 'word', word: word(['self-hosted'], Number(body)) }
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

  it('that cannot even be settled does not stop those about other jobs, and is tried again', async () => {
    const bench = await createControlBench()
    const deps = intakeOf(
      bench,
      (body) =>
        body === 'poison'
          ? { kind: 'malformed', why: 'no id' }
          : { kind: 'word', word: word(['self-hosted'], Number(body)) },
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

  it('for which the ledger does not answer stays as it is, and those about other jobs are worked on', async () => {
    const bench = await createControlBench()
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const deps = intakeOf(bench, (body) => ({ kind: 'word', word: word(['self-hosted'], Number(body)) }), {
      hear: (said, cause, settles) =>
        said.job.forgeJobId === 7 ? Promise.reject(away) : bench.ledger.hear(said, cause, settles),
    })
    for (const [guid, body] of [
      ['one', '7'],
      ['two', '8'],
    ] as const)
      await receive(delivery(guid, 'good', body), deps)
    await expect(intakeLoop(deps).pass(never)).rejects.toBe(away)
    expect(bench.ledger.rows.deliveries.get('two')).toMatchObject({ state: 'done' })
    expect(stateOf(bench)).toMatchObject({ state: 'pending', tries: 0 })
  })

  it('that was heard is done and counted once, although it is not known whether its job was lost', async () => {
    const bench = await createControlBench()
    const said = word(['self-hosted'])
    await bench.ledger.hear(said, { source: 'webhook' })
    const ended: ForgeWord = { ...said, status: 'completed', conclusion: 'failure' }
    const findJob = () => Promise.reject(new Error('a test'))
    const deps = intakeOf(bench, { kind: 'word', word: ended }, { findJob })
    await receive(delivery('one'), deps)
    await intakeLoop(deps).pass(never)
    expect(stateOf(bench)).toMatchObject({ state: 'done', tries: 1 })
    expect(bench.metrics.counts.get('holdfast_deliveries_worked_total{done,workflow_job}')).toBe(1)
    expect(bench.metrics.counts.has('holdfast_deliveries_worked_total{failed,workflow_job}')).toBe(false)
  })
})
