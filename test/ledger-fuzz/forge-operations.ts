import type { Random } from '../../sim/world/random.ts'
import type { JobEvent } from '../../src/domain/job-event/index.ts'
import type { ApplyResult, Ledger } from '../../src/ports/ledger.ts'
import { type Knowledge, recent, recentJob, remember, runnerOf } from './knowledge.ts'
import { installation, type Operation } from './operation.ts'

const webhook = { source: 'webhook' } as const
const audit = { source: 'audit' } as const

/** Job events of the forge, in any order, early, late and repeated. */
export const forgeOperations: readonly Operation[] = [
  {
    name: 'announced',
    weight: 8,
    run: (ledger, known, draw) =>
      applyEvent(ledger, known, jobEventOf(known, next(known), 'queued', draw), draw),
  },
  {
    name: 'announced again',
    weight: 2,
    run: (ledger, known, draw) =>
      applyEvent(ledger, known, jobEventOf(known, recentJob(known, draw), 'queued', draw), draw),
  },
  {
    name: 'started',
    weight: 8,
    run: (ledger, known, draw) =>
      applyEvent(ledger, known, jobEventOf(known, recentJob(known, draw), 'in_progress', draw), draw),
  },
  {
    name: 'started and never announced',
    weight: 1,
    run: (ledger, known, draw) =>
      applyEvent(ledger, known, jobEventOf(known, next(known), 'in_progress', draw), draw),
  },
  {
    name: 'completed',
    weight: 4,
    run: (ledger, known, draw) =>
      applyEvent(ledger, known, jobEventOf(known, recentJob(known, draw), 'completed', draw), draw),
  },
  {
    name: 'said again',
    weight: 6,
    run: async (ledger, known, draw) => {
      const event = recent(known.events, draw, 60)
      return event === undefined ? 'nothing was said' : applyEvent(ledger, known, event, draw)
    },
  },
]

function next(known: Knowledge): number {
  known.jobNumber += 1
  return known.jobNumber
}

/** Some events come as stored deliveries, which are settled with them. */
async function applyEvent(ledger: Ledger, known: Knowledge, event: JobEvent, draw: Random): Promise<string> {
  const { forgeJobId } = event.job
  let result: ApplyResult
  if (draw.chance(0.3)) {
    const guid = `${forgeJobId}-${draw.below(1e9)}`
    await ledger.storeDelivery({
      guid,
      installation,
      event: 'workflow_job',
      subject: `${forgeJobId}`,
      body: '{}',
    })
    result = await ledger.applyJobEvent(event, webhook, guid)
  } else {
    result = await ledger.applyJobEvent(event, draw.chance(0.5) ? webhook : audit)
  }
  const jobId = 'jobId' in result ? result.jobId : null
  if (jobId !== null) known.jobIds.set(forgeJobId, jobId)
  return `job ${jobId} (forge ${forgeJobId}) ${event.status} on ${event.runnerName}: ${result.kind}`
}

function jobEventOf(
  known: Knowledge,
  forgeJobId: number,
  status: JobEvent['status'],
  draw: Random,
): JobEvent {
  const runnerName = status === 'queued' || draw.chance(0.2) ? null : runnerOf(known, forgeJobId, draw)
  const at = 1_700_000_000_000 + forgeJobId * 1_000
  return remember(known, {
    job: {
      installation,
      forgeJobId,
      runId: Math.ceil(forgeJobId / 3),
      runAttempt: 1,
      visibility: 'private',
      repository: `acme/${forgeJobId % 3}`,
      name: 'build',
      labels: forgeJobId % 2 === 0 ? ['self-hosted'] : ['self-hosted', 'big'],
    },
    status,
    runnerName,
    conclusion: status === 'completed' ? draw.pick(['success', 'failure', 'cancelled']) : null,
    queuedAt: at,
    startedAt: status === 'queued' ? null : at + draw.below(5_000),
    completedAt: status === 'completed' ? at + 10_000 : null,
  })
}
