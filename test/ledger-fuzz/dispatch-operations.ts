import { handleBytes, handleFrom } from '../../src/domain/attempt/index.ts'
import type { EndKind, EndProof, JobFate } from '../../src/domain/job-event/index.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { type Knowledge, recent } from './knowledge.ts'
import { BrokenPromise, farMs, host, installation, type Operation } from './operation.ts'

const recovery = { source: 'recovery', rule: 'fuzz' } as const
/** Among so many of the newest attempts: those that are open, and some that are not any more. */
const handlesOf = 15

/** From a claim to a registered runner, with every way in which an attempt ends. */
export const dispatchOperations: readonly Operation[] = [
  {
    name: 'claim',
    weight: 14,
    async run(ledger, known, draw) {
      const runner = recent(known.runners, draw, 20)
      if (runner === undefined) return 'nobody asks'
      const handle = handleFrom(draw.bytes(handleBytes))
      const result = await ledger.claim(runner, handle, farMs)
      if (result.kind !== 'claimed') return `runner ${runner.id}: ${result.kind}`
      const { attempt, job } = result.claim
      known.handles.push(handle)
      known.names.push(attempt.forgeRunnerName)
      return `runner ${runner.id} has job ${job.id} as attempt ${attempt.id} (${handle})`
    },
  },
  onHandle('minted', 10, async (ledger, known, handle) => {
    const bytes = Buffer.from(handle)
    known.jits.set(handle, bytes.toString('hex'))
    const forgeRunnerId = Number.parseInt(handle.slice(0, 8), 16)
    return (await ledger.minted(handle, forgeRunnerId, { keyId: `key-${known.keyNumber}`, bytes }, farMs))
      .kind
  }),
  onHandle('delivered', 10, async (ledger, known, handle) => {
    const delivered = await ledger.deliver(handle, farMs)
    if (
      delivered.kind === 'ok' &&
      Buffer.from(delivered.jit.bytes).toString('hex') !== known.jits.get(handle)
    )
      throw new BrokenPromise(`I2: ${handle} was given a configuration that was not minted for it`)
    return delivered.kind
  }),
  onHandle('acknowledged', 5, async (ledger, _, handle) => (await ledger.acknowledge(handle)).kind),
  onHandle(
    'registered',
    5,
    async (ledger, _, handle) => (await ledger.registered(handle, farMs, recovery)).kind,
  ),
  onHandle('mint refused', 3, async (ledger, _, handle, draw) => {
    const failure = {
      reason: 'refused',
      concerns: draw.pick(['job', 'repository', 'account'] as const),
      delayMs: 1,
      failuresMax: 3,
      incident: draw.chance(0.2) ? ('actions-disabled' as const) : null,
    }
    const result = await ledger.mintFailed(handle, failure)
    return `${result.kind} ${failure.concerns}`
  }),
  onHandle('ended before delivery', 3, async (ledger, _, handle, draw) =>
    end(ledger, handle, 'claimExpired', null, fateOf(draw.below(10))),
  ),
  onHandle('ended unregistered', 3, async (ledger, _, handle, draw) => {
    const proof = { kind: 'never-registered', record: { asked: 'the forge' } } as const
    return end(ledger, handle, 'neverRegistered', proof, fateOf(draw.below(10)))
  }),
  {
    name: 'looked at',
    weight: 6,
    async run(ledger, _, draw) {
      const due = await ledger.due(20, host)
      if (due.length === 0) return 'nothing is due'
      const subject = draw.pick(due)
      if (subject.kind === 'job') {
        const { job } = subject
        if (draw.chance(0.2)) return `job ${job.id}: ${await ledger.closeJob(job.id, 'gone', recovery)}`
        if (draw.chance(0.5)) return `job ${job.id}: ${await ledger.requeueJob(job.id, recovery)}`
        await ledger.postpone({ kind: 'job', id: job.id }, 500)
        return `job ${job.id}: later`
      }
      if (subject.kind === 'runner') {
        await ledger.postpone({ kind: 'runner', id: subject.runner.id }, 500)
        return `runner ${subject.runner.id}: later`
      }
      if (subject.kind !== 'attempt') throw new BrokenPromise('a row is due that cannot be read')
      const { attempt, runner } = subject
      const of = `attempt ${attempt.id} of runner ${runner.id}, job ${attempt.jobId}`
      if (runner.evidenceId === null) {
        await ledger.postpone({ kind: 'attempt', id: attempt.id }, 500)
        return `${of}: later`
      }
      const proof = { kind: 'stored', evidenceId: runner.evidenceId } as const
      return `${of}: ${await end(ledger, attempt.handle, 'runnerGone', proof, fateOf(draw.below(10)))}`
    },
  },
  {
    name: 'keys changed',
    weight: 1,
    async run(ledger, known) {
      known.keyNumber += 1
      const keyId = `key-${known.keyNumber}`
      return `${await ledger.resealJits((jit) => ({ ...jit, keyId }), 100)} under ${keyId}`
    },
  },
  {
    name: 'incident over',
    weight: 1,
    async run(ledger, _, draw) {
      const key = `acme/${draw.below(3)}`
      return ledger.liftIncident({ kind: 'actions-disabled', installation, scope: 'repository', key })
    },
  },
]

function onHandle(
  name: string,
  weight: number,
  act: (
    ledger: Ledger,
    known: Knowledge,
    handle: string,
    draw: Parameters<Operation['run']>[2],
  ) => Promise<string>,
): Operation {
  return {
    name,
    weight,
    async run(ledger, known, draw) {
      const handle = recent(known.handles, draw, handlesOf)
      return handle === undefined
        ? 'nothing is claimed'
        : `${handle}: ${await act(ledger, known, handle, draw)}`
    },
  }
}

async function end(
  ledger: Ledger,
  handle: string,
  kind: EndKind,
  proof: EndProof,
  fate: JobFate,
): Promise<string> {
  const ended = await ledger.endAttempt(handle, { kind, proof, fate }, recovery)
  return `${ended.kind} (${kind}, ${fate.kind})`
}

/** Most go back. */
function fateOf(of10: number): JobFate {
  if (of10 === 0) return { kind: 'lost' }
  return of10 === 1 ? { kind: 'gone' } : { kind: 'requeue', delayMs: of10 === 2 ? 50 : 0 }
}
