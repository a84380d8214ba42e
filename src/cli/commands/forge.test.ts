import { afterEach, describe, expect, it } from 'vitest'
import { emptyResync, installation } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'
import type { ResyncReport } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../../http/index.ts'
import type { OrderAnswer } from '../../ports/forge.ts'

let cli: CliBench
afterEach(() => cli.close())

const at = '2026-01-02T03:04:05.000Z'
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

/** A Holdfast whose forge does what is given. */
async function start(over: Partial<HttpDeps['forge']> = {}, answer: OrderAnswer = { kind: 'done' }) {
  const forge: HttpDeps['forge'] = {
    rerunJob: async () => answer,
    rerunFailedJobs: async () => answer,
    cancelRun: async () => answer,
    readLog: async () => null,
    readJobDetail: async () => null,
    readRunJobs: async () => [],
    readJob: async () => null,
    resync: async () => emptyResync(at),
    budget: async () => ({ budget: null, pausedUntil: null }),
    ...over,
  }
  cli = await createCliBench('github', [], { forge })
}

const incident = {
  kind: 'ip-not-allowed',
  installation,
  scope: 'account',
  key: 'acme',
  reason: 'Although you appear to have the correct authorization, the IP address is not permitted.',
} as const

describe('holdfast incidents', () => {
  it('shows the problem, its age, its source and what to do, in 80 columns', async () => {
    await start()
    await cli.bench.ledger.raiseIncident(incident, 60_000)
    await cli.bench.clock.advance(65_000)
    await cli.bench.ledger.raiseIncident(incident, 60_000)
    const { code, out } = await cli.run('incidents')
    expect(code).toBe(0)
    expect(out).toBe(`ip-not-allowed  acme (account of contract)
  what  The organisation's IP allow list does not hold our address.
  forge Although you appear to have the correct authorization, the IP address is
        not permitted.
  since 1 min 5 s, seen 2 times, last 0 s ago
  to do Add Holdfast's public address to the allow list, or allow the addresses
        that the App names.
  then  holdfast incidents retry 1, or wait: it is tried again by itself
`)
    expect(widest(out)).toBeLessThanOrEqual(80)
  })

  it('shows what is over with --all only, and says so where there is none', async () => {
    await start()
    expect((await cli.run('incidents', '--all')).out).toBe('There was no incident.\n')
    await cli.bench.ledger.raiseIncident(incident, 60_000)
    await cli.bench.clock.advance(65_000)
    await cli.bench.ledger.liftIncident(incident)
    expect((await cli.run('incidents')).out).toBe('No open incidents.\n')
    const { out } = await cli.run('incidents', '--all')
    expect(out).toContain('ip-not-allowed, over  acme (account of contract)')
    expect(out).toContain('over for 0 s, lasted 1 min 5 s, seen once')
    expect(JSON.parse((await cli.run('incidents', '--json')).out)).toMatchObject({ incidents: [] })
  })
})

describe('holdfast incidents retry', () => {
  it('releases what an incident holds back, and says so where it is not open', async () => {
    await start()
    await cli.bench.ledger.raiseIncident(incident, 60_000)
    expect(await cli.run('incidents', 'retry', '1')).toMatchObject({
      code: 0,
      out: 'Incident 1 is closed, and what it held back is tried again now.\n',
    })
    expect(await cli.bench.ledger.incidents(0)).toEqual([])
    expect(await cli.run('incidents', 'retry', '1')).toMatchObject({ code: 6 })
    expect(await cli.run('incidents', 'retry', 'one')).toMatchObject({ code: 2 })
  })
})

describe('holdfast forge resync', () => {
  const report: ResyncReport = {
    at,
    compared: 12,
    notCovered: ['acme/closed'],
    differences: [
      {
        job: 7,
        repository: 'acme/web',
        name: 'test',
        forgeJobId: 1001,
        forge: 'completed (success)',
        ledger: 'running',
        rule: 'missed-word',
        done: 'hear: changed',
      },
      {
        job: null,
        repository: 'acme/api',
        name: 'build \u001b[2J',
        forgeJobId: 1002,
        forge: 'queued',
        ledger: 'unknown',
        rule: 'missed-job',
        done: 'not ours',
      },
    ],
    unreachable: [{ repository: 'acme/old', incident: 'runner-group-excludes', reason: 'not in the group' }],
    deliveries: { looked: 40, missing: 3, sentAgain: 2, gone: 1 },
    budget: { limit: 5000, remaining: 2000, resetAt: '2026-01-02T03:34:05.000Z', pace: 'slow' },
    putOff: null,
  }

  it('shows what differs and what was done, and exits with 0', async () => {
    await start({ resync: async () => report })
    const { code, out } = await cli.run('forge', 'resync')
    expect(code).toBe(0)
    expect(out).toBe(`12 jobs compared, 2 of them differed:
  job 7  acme/web · test
    forge: completed (success); ledger: running
    missed-word: hear: changed
  forge job 1002  acme/api · build${' '}
    forge: queued; ledger: unknown
    missed-job: not ours
not shown acme/closed: its jobs were not compared
unreachable acme/old: runner-group-excludes
  not in the group
Webhooks: 40 looked at, 3 missing, 2 sent again, 1 gone from the forge's list.
Budget: 2000 of 5000 calls left; new in 30 min, at 03:34:05 UTC.
Below half of the budget: resyncs run three times as seldom.
`)
    expect(JSON.parse((await cli.run('forge', 'resync', '--json')).out)).toEqual(report)
  })

  it('says so where nothing differs', async () => {
    await start()
    expect((await cli.run('forge', 'resync')).out).toBe('0 jobs compared: the forge and the ledger agree.\n')
  })

  it('exits with 4 where the forge does not answer, and where it was put off', async () => {
    const away = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'listJobs', why: 'it hangs' })
    await start({ resync: () => Promise.reject(away) })
    expect(await cli.run('forge', 'resync')).toMatchObject({
      code: 4,
      err: expect.stringContaining('E_FORGE_UNAVAILABLE The forge did not answer listJobs: it hangs.'),
    })
    await cli.close()
    await start({
      resync: async () => ({ ...emptyResync(at), putOff: 'resyncs wait: 3 of 5000 calls are left' }),
    })
    expect(await cli.run('forge', 'resync')).toEqual({
      code: 4,
      out: 'Nothing was compared: resyncs wait: 3 of 5000 calls are left\n',
      err: '',
    })
  })
})

describe('holdfast forge budget', () => {
  it('says what is left, when it is new, and the pace', async () => {
    const budget = { limit: 5000, remaining: 4321, resetAt: at, pace: 'full' } as const
    await start({ budget: async () => ({ budget, pausedUntil: '2026-01-02T03:05:05.000Z' }) })
    expect((await cli.run('forge', 'budget')).out).toBe(
      `The forge: github, http://forge.invalid
Budget: 4321 of 5000 calls left; new since ${at}.
Resyncs run as often as is set.
It asked us to be silent: nothing is sent for another 1 min.
`,
    )
  })

  it('says so where the forge named no limit', async () => {
    await start()
    expect((await cli.run('forge', 'budget')).out).toContain('It has named no limit on calls so far.')
    expect(JSON.parse((await cli.run('forge', 'budget', '--json')).out)).toMatchObject({ budget: null })
  })
})

describe('holdfast rerun and cancel', () => {
  it('say what the forge agreed to', async () => {
    await start()
    await cli.bench.queue(11, { runId: 5 })
    expect(await cli.run('rerun', '1')).toEqual({
      code: 0,
      out: 'The forge agreed to run job 1 (test of acme/web) again.\n',
      err: '',
    })
    expect((await cli.run('rerun', '1', '--failed')).out).toBe(
      'The forge agreed to run the failed jobs of run 5 of acme/web again.\n',
    )
    expect((await cli.run('cancel', 'contract:11')).out).toBe(
      'The forge agreed to cancel run 5 of acme/web, to which job 1 belongs.\n',
    )
    expect(JSON.parse((await cli.run('cancel', '1', '--json')).out)).toMatchObject({
      order: 'cancel',
      job: 1,
    })
  })

  it.each([
    ['refused', 'E_ORDER_REFUSED The forge refused to cancel its run (job 1): it is over'],
    ['unsupported', 'E_ORDER_UNSUPPORTED This forge cannot cancel its run (job 1): it is over'],
  ] as const)('exit with 5 and the reason where the forge has it %s', async (kind, words) => {
    await start({}, { kind, reason: 'it is over' })
    await cli.bench.queue(11)
    const { code, err } = await cli.run('cancel', '1')
    expect([code, err]).toEqual([5, expect.stringContaining(words)])
  })

  it('exit with 6 for a job that is not known', async () => {
    await start()
    expect((await cli.run('rerun', '9')).code).toBe(6)
  })
})

describe('holdfast log', () => {
  it('shows the lines of the log, and no control of the terminal', async () => {
    await start({ readLog: async () => 'one\r\n\u001b[31mtwo\u001b[0m\u0007\n\tthree\n' })
    await cli.bench.queue(11)
    expect(await cli.run('log', '1')).toEqual({ code: 0, out: 'one\ntwo\n\tthree\n', err: '' })
    expect(JSON.parse((await cli.run('log', '1', '--json')).out)).toMatchObject({
      job: '1',
      log: expect.stringContaining('three'),
    })
  })

  it('exits with 6 where the forge has none, and with 5 without the token', async () => {
    await start()
    await cli.bench.queue(11)
    expect(await cli.run('log', '1')).toMatchObject({ code: 6, err: expect.stringContaining('E_LOG_ABSENT') })
    const { code, err } = await cli.runWith({ readFile: () => undefined }, 'log', '1')
    expect([code, err]).toEqual([5, expect.stringContaining('E_TOKEN_REQUIRED')])
  })
})

describe('holdfast deliveries', () => {
  const guid = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
  const keep = async () => {
    const { ledger, clock } = cli.bench
    await ledger.storeDelivery({ guid, installation, event: 'workflow_job', subject: 'job 7', body: 'x' })
    await ledger.settleDelivery(guid, { kind: 'poison', note: 'expected a JSON object with an action' })
    await ledger.storeDelivery({ guid: 'waits', installation, event: 'ping', subject: null, body: 'x' })
    await clock.advance(65_000)
  }

  it('lists what was set aside and what waits, with the reason, in 80 columns', async () => {
    await start()
    await keep()
    const { code, out } = await cli.run('deliveries')
    expect(code).toBe(0)
    expect(out.split('\n').toSorted()).toEqual(
      `poison   ${guid}  workflow_job
         received 1 min 5 s ago, tried once, about job 7
         expected a JSON object with an action
pending  waits  ping
         received 1 min 5 s ago, tried 0 times
`
        .split('\n')
        .toSorted(),
    )
    expect(widest(out)).toBeLessThanOrEqual(80)
    const json = JSON.parse((await cli.run('deliveries', '--state', 'poison', '--json')).out)
    expect(json).toMatchObject({ deliveries: [{ guid, state: 'poison', tries: 1 }] })
  })

  it('says so where there is none', async () => {
    await start()
    expect((await cli.run('deliveries')).out).toBe('No webhook was set aside, and none waits.\n')
    expect((await cli.run('deliveries', '--state', 'done')).out).toBe('No such deliveries.\n')
  })

  it('replay works on one once more; unknown ones exit with 6, those that wait with 5', async () => {
    await start()
    await keep()
    expect(JSON.parse((await cli.run('deliveries', 'replay', guid, '--json')).out)).toEqual({
      replayed: true,
      guid,
    })
    expect(await cli.run('deliveries', 'replay', guid)).toMatchObject({
      code: 5,
      err: expect.stringContaining(`E_DELIVERY_PENDING Delivery ${guid} is not settled yet`),
    })
    await cli.bench.ledger.settleDelivery(guid, { kind: 'done', note: 'new' })
    expect((await cli.run('deliveries', 'replay', guid)).out).toBe(
      `Delivery ${guid} is worked on once more.\n`,
    )
    expect(await cli.run('deliveries', 'replay', 'nope')).toMatchObject({
      code: 6,
      err: expect.stringContaining('E_DELIVERY_UNKNOWN No delivery nope was kept here.'),
    })
    expect((await cli.run('deliveries', 'replay')).code).toBe(2)
    expect((await cli.run('deliveries', 'rplay', 'x')).code).toBe(2)
  })
})
