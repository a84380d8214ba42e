import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ForgeCore, NewJob, Webhook } from '../../sim/forge/core/index.ts'
import { plainWebhooks } from '../../sim/world/twins.ts'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { isOpen } from '../domain/job/index.ts'
import { type IntakeDeps, intakeLoop, receive } from '../intake/index.ts'
import type { ForgeDeliveries } from '../ports/forge-deliveries.ts'
import { type AuditDeps, auditLoop, createRedeliveryMemory, redeliver } from './index.ts'

/** The fate of a message: it arrives, it arrives twice, nobody receives it, or the forge loses it for good as well. */
const fates = ['comes', 'comes', 'comes', 'twice', 'lost', 'lost', 'gone'] as const
type Fate = (typeof fates)[number]

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      shape: fc.nat(2),
      /** The fate of all messages about later jobs of the run; null: each has its own. */
      later: fc.constantFrom(null, 'lost' as const, 'gone' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const), isOurs: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('complete' as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(9) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('message' as const),
      which: fc.nat(9),
      fate: fc.constantFrom(...fates),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 180 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('work' as const, 'redeliver' as const, 'audit' as const) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const labels = ['self-hosted']
const plain = (name: string, needs: readonly string[] = []): NewJob => ({
  name,
  labels,
  script: 'true',
  needs,
})
const shapes: readonly (readonly NewJob[])[] = [
  [plain('test')],
  [plain('build'), plain('test', ['build'])],
  [{ ...plain('test'), matrix: { node: ['22', '24'] } }, plain('publish', ['test'])],
]
const repository = 'acme/web'

/** The real intake, redelivery and audit in front of a forge whose messages get lost. */
async function createPost(mutate: (deps: AuditDeps) => AuditDeps = (deps) => deps) {
  const bench = await createControlBench()
  const { core, clock } = bench
  const intake: IntakeDeps = { ...bench, webhooks: plainWebhooks('sim') }
  const underWay: Webhook[] = []
  const gone = new Set<string>()
  const laterFates = new Map<number, Fate>()
  const sessions: { readonly session: string; readonly jobId: number }[] = []
  let runners = 0

  const deliveries: ForgeDeliveries = {
    sentSince: async (since) =>
      core
        .deliveries(null)
        .filter(({ deliveredAt }) => deliveredAt >= since)
        .map(({ id, message, deliveredAt, statusCode }) => ({
          id: String(id),
          guid: message.guid,
          event: message.event,
          sentAt: deliveredAt,
          isReceived: statusCode === 202,
        })),
    async sendAgain(id) {
      const delivery = core.deliveries(null).find((each) => String(each.id) === id)
      if (delivery === undefined || gone.has(delivery.message.guid)) return 'gone'
      return core.redeliver(delivery.id, clock.now()) === 'absent' ? 'gone' : 'asked'
    },
  }
  const deps = mutate({ ...bench, deliveries, memory: createRedeliveryMemory() })

  async function message(webhook: Webhook, fate: Fate): Promise<void> {
    const isReceived = fate === 'comes' || fate === 'twice'
    const headers = { 'x-github-delivery': webhook.guid, 'x-github-event': webhook.event }
    const body = new TextEncoder().encode(JSON.stringify(webhook.payload))
    for (let times = isReceived ? (fate === 'twice' ? 2 : 1) : 0; times > 0; times -= 1) {
      await receive({ headers, body }, intake)
    }
    if (fate === 'gone') gone.add(webhook.guid)
    const outcome = { deliveredAt: clock.now(), durationMs: 1, why: null }
    core.noteDelivery(webhook.message, { ...outcome, statusCode: isReceived ? 202 : null })
  }

  function fateOf({ message: { event, ...content } }: Webhook): Fate | undefined {
    if (event !== 'workflow_job' || !('job' in content) || content.job.place === 0) return undefined
    return laterFates.get(content.job.runId)
  }

  function take(isOurs: boolean): void {
    runners += 1
    const name = `${isOurs ? 'linux' : 'foreign'}-${runners}`
    const minted = core.mint({ repository, name, labels: ['self-hosted'] }, clock.now())
    const session = minted.kind === 'minted' ? core.connect(minted.jit, name, clock.now()) : null
    if (session?.kind !== 'connected') return
    const answer = core.poll(session.session, clock.now())
    if (answer.kind === 'job') sessions.push({ session: session.session, jobId: answer.job.id })
  }

  return {
    bench,
    async play(each: Step): Promise<void> {
      if (each.do === 'submit') {
        const jobs = shapes[each.shape] as readonly NewJob[]
        const { runId } = core.submit({ repository, workflow: 'ci', jobs }, clock.now())
        if (each.later !== null) laterFates.set(runId, each.later)
      }
      if (each.do === 'take') take(each.isOurs)
      if (each.do === 'complete') {
        const [ended] = sessions.splice(each.which % Math.max(1, sessions.length), 1)
        if (ended !== undefined) core.complete(ended.session, ended.jobId, 'success', clock.now())
      }
      if (each.do === 'cancel') core.cancel(core.jobs()[each.which]?.id ?? 0, clock.now())
      if (each.do === 'wait') await bench.advance(each.seconds * 1_000)
      underWay.push(...core.takeWebhooks())
      if (each.do === 'message') {
        const [webhook] = underWay.splice(each.which % Math.max(1, underWay.length), 1)
        if (webhook !== undefined) await message(webhook, fateOf(webhook) ?? each.fate)
      }
      if (each.do === 'work') await intakeLoop(intake).pass(never)
      if (each.do === 'redeliver') await redeliver(deps, deps.deliveries ?? deliveries, never)
      if (each.do === 'audit') await auditLoop(deps, 300_000).pass(never)
    },
    /** Loses all messages under way; then one redelivery, whose messages arrive in the wrong order, and one audit. */
    async settle(): Promise<void> {
      for (const webhook of [...underWay.splice(0), ...core.takeWebhooks()]) {
        await message(webhook, fateOf(webhook) ?? 'lost')
      }
      await redeliver(deps, deps.deliveries ?? deliveries, never)
      for (const webhook of core.takeWebhooks().toReversed()) await message(webhook, 'comes')
      while ((await intakeLoop(intake).pass(never)).kind === 'requeue-after');
      await auditLoop(deps, 300_000).pass(never)
    },
  }
}

/** The differences between the ledger and the forge, in words. */
function differences({ core, ledger }: ControlBench): string[] {
  const known = new Map([...ledger.rows.jobs.values()].map((job) => [job.forgeJobId, job]))
  return jobsThatConcernUs(core).flatMap((truth) => {
    const job = known.get(truth.id)
    const truthText = `job ${truth.id} is ${truth.status} ${truth.conclusion ?? ''} there`
    if (job === undefined) return truth.isOurs ? [`${truthText} and unknown here`] : []
    const here = `${truthText} and ${job.state} ${job.conclusion ?? ''} here`
    if (truth.status === 'queued') return job.state === 'queued' ? [] : [here]
    if (job.executor !== truth.runnerName) return [`${here}, on ${job.executor}`]
    if (truth.status === 'in_progress') return job.state === 'running' ? [] : [here]
    if (isOpen(job) || job.conclusion !== truth.conclusion) return [here]
    return job.forgeCompletedAt === truth.completedAt ? [] : [`${here}, at another time`]
  })
}

/** Jobs that another runner ran, or that ended before a runner had them, need not be known without an event. */
function jobsThatConcernUs(core: ForgeCore) {
  return core.jobs().map((job) => ({
    ...job,
    isOurs: job.status !== 'completed' || (job.runnerName?.startsWith('linux-') ?? false),
  }))
}

const histories = fc.array(step, { minLength: 5, maxLength: 70, size: 'max' })

async function differencesAfter(
  steps: readonly Step[],
  mutate?: (deps: AuditDeps) => AuditDeps,
): Promise<string[]> {
  const post = await createPost(mutate)
  for (const each of steps) await post.play(each)
  await post.settle()
  return differences(post.bench)
}

/** Each mutation breaks one part: a property that holds with it would prove nothing about that part. */
const broken: readonly [string, (deps: AuditDeps) => AuditDeps][] = [
  [
    'a redelivery that asks for nothing',
    (deps) => ({
      ...deps,
      deliveries: { ...(deps.deliveries as ForgeDeliveries), sendAgain: async () => 'asked' },
    }),
  ],
  [
    'a list that could not be read and is taken as empty',
    (deps) => ({
      ...deps,
      deliveries: { ...(deps.deliveries as ForgeDeliveries), sentSince: async () => [] },
    }),
  ],
  [
    'an audit that reads nothing',
    (deps) => ({
      ...deps,
      forge: {
        ...deps.forge,
        listJobs: async () => ({ events: [], read: [], notCovered: [], runsGone: 0 }),
        readJob: async () => null,
      },
    }),
  ],
  [
    'settled runs that are not listed although messages were lost for good',
    (deps) => ({
      ...deps,
      ledger: {
        ...deps.ledger,
        cursor: async (name) => (name.startsWith('deliveries lost') ? null : deps.ledger.cursor(name)),
      },
    }),
  ],
]

describe('for any lost, repeated or reordered messages', () => {
  it('the ledger equals the forge after one redelivery and one audit', async () => {
    const holds = fc.asyncProperty(histories, async (steps) => {
      expect(await differencesAfter(steps)).toEqual([])
    })
    await fc.assert(holds, { numRuns: 2_000 })
  }, 60_000)

  it.each(broken)(
    'that does not hold with %s',
    async (_, mutate) => {
      const holds = fc.asyncProperty(
        histories,
        async (steps) => (await differencesAfter(steps, mutate)).length === 0,
      )
      expect((await fc.check(holds, { numRuns: 2_000, endOnFailure: true })).failed).toBe(true)
    },
    60_000,
  )
})
