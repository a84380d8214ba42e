import type { Random } from '../../sim/world/random.ts'
import type { ForgeWord } from '../../src/domain/binding/index.ts'
import type { Heard, Ledger } from '../../src/ports/ledger.ts'
import { type Knowledge, recent, recentJob, remember, runnerOf } from './knowledge.ts'
import { installation, type Operation } from './operation.ts'

const webhook = { source: 'webhook' } as const
const audit = { source: 'audit' } as const

/** What the forge says about jobs, in any order, early, late and again. */
export const forgeOperations: readonly Operation[] = [
  {
    name: 'announced',
    weight: 8,
    run: (ledger, known, draw) => hear(ledger, known, wordOf(known, next(known), 'queued', draw), draw),
  },
  {
    name: 'announced again',
    weight: 2,
    run: (ledger, known, draw) =>
      hear(ledger, known, wordOf(known, recentJob(known, draw), 'queued', draw), draw),
  },
  {
    name: 'started',
    weight: 8,
    run: (ledger, known, draw) =>
      hear(ledger, known, wordOf(known, recentJob(known, draw), 'in_progress', draw), draw),
  },
  {
    name: 'started and never announced',
    weight: 1,
    run: (ledger, known, draw) => hear(ledger, known, wordOf(known, next(known), 'in_progress', draw), draw),
  },
  {
    name: 'completed',
    weight: 4,
    run: (ledger, known, draw) =>
      hear(ledger, known, wordOf(known, recentJob(known, draw), 'completed', draw), draw),
  },
  {
    name: 'said again',
    weight: 6,
    run: async (ledger, known, draw) => {
      const word = recent(known.words, draw, 60)
      return word === undefined ? 'nothing was said' : hear(ledger, known, word, draw)
    },
  },
]

function next(known: Knowledge): number {
  known.jobNumber += 1
  return known.jobNumber
}

/** Some words come as stored deliveries, which are settled with them. */
async function hear(ledger: Ledger, known: Knowledge, word: ForgeWord, draw: Random): Promise<string> {
  const { forgeJobId } = word.job
  let heard: Heard
  if (draw.chance(0.3)) {
    const guid = `${forgeJobId}-${draw.below(1e9)}`
    await ledger.storeDelivery({
      guid,
      installation,
      event: 'workflow_job',
      subject: `${forgeJobId}`,
      body: '{}',
    })
    heard = await ledger.hear(word, webhook, guid)
  } else {
    heard = await ledger.hear(word, draw.chance(0.5) ? webhook : audit)
  }
  const jobId = 'jobId' in heard ? heard.jobId : null
  if (jobId !== null) known.jobIds.set(forgeJobId, jobId)
  return `job ${jobId} (forge ${forgeJobId}) ${word.status} on ${word.runnerName}: ${heard.kind}`
}

function wordOf(known: Knowledge, forgeJobId: number, status: ForgeWord['status'], draw: Random): ForgeWord {
  const runnerName = status === 'queued' || draw.chance(0.2) ? null : runnerOf(known, forgeJobId, draw)
  const at = 1_700_000_000_000 + forgeJobId * 1_000
  return remember(known, {
    job: {
      installation,
      forgeJobId,
      runId: Math.ceil(forgeJobId / 3),
      runAttempt: 1,
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
