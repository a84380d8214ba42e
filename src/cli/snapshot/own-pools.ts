import type { Command } from 'commander'
import {
  type ApiHost,
  type ApiPool,
  type ApiRunner,
  hostListSchema,
  type JobSummary,
  jobListSchema,
  jobsLimitMax,
  poolListSchema,
  runnerListSchema,
  runnersLimitMax,
} from '../../api/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { ObjectFact, RunnerFact, ScaleSetFact, Unread } from '../../domain/snapshot/index.ts'
import type { OwnPools } from '../../snapshot/index.ts'
import type { Client } from '../client/client.ts'
import { findServer } from '../client/find-server.ts'
import { urlEnv } from '../configuration.ts'
import type { Context } from '../context.ts'
import { readNodeProbes } from './node-probes.ts'

const timeoutMs = 5_000
const withRunner = 'claimed,delivered,registered,running'
/** Of runners that are processes, and where several hosts serve one ledger. */
const noNamespace = ''

/**
 * The pools of the Holdfast that runs, as the facts of any fleet. Null where none answers; where the user named one, why
 * it does not.
 */
export async function readOwnPools(command: Command, context: Context): Promise<OwnPools | Unread | null> {
  const isAsked = command.opts<{ url?: string }>().url !== undefined || Boolean(context.env[urlEnv])
  try {
    return await poolsOf(await findServer(command, context), context)
  } catch (error) {
    if (!isAsked) return null
    return { what: "Holdfast's own pools", why: reasonOf(error), needs: 'a Holdfast that answers at --url' }
  }
}

async function poolsOf(server: Client, context: Context): Promise<OwnPools> {
  const sent = { timeoutMs }
  const [{ at, pools }, { runners, leftOut, unreadable }, { hosts }, { jobs }, nodeProbes] =
    await Promise.all([
      server.get('/v1/pools', poolListSchema, sent),
      server.get(`/v1/runners?ended=0&limit=${runnersLimitMax}`, runnerListSchema, sent),
      server.get('/v1/hosts', hostListSchema, sent),
      server.get(`/v1/jobs?state=${withRunner}&limit=${jobsLimitMax}`, jobListSchema, sent),
      readNodeProbes(server, context.clock.now()),
    ])
  const source = 'ledger'
  const namespace = namespaceOf(hosts.filter(({ state }) => state === 'live'))
  const jobById = new Map(jobs.map((job) => [job.id, job]))
  const more = leftOut + unreadable.length
  return {
    scaleSets: { source, at: Date.parse(at), items: pools.map((pool) => setOf(pool, namespace)), unread: [] },
    runners: {
      source,
      at: Date.parse(at),
      items: runners.map((runner) => runnerOf(runner, namespace, jobById)),
      unread: more === 0 ? [] : [{ ...tooMany, what: `${more} more runners of Holdfast` }],
    },
    nodeProbes,
  }
}

const tooMany = { why: 'one answer does not hold more, or a newer version wrote them', needs: null }

/** The host of pods is `kubernetes:<uid>/<namespace>`; runners do not say which of several hosts is theirs. */
function namespaceOf(hosts: readonly ApiHost[]): string {
  const [host, ...others] = hosts
  if (host?.kind !== 'kubernetes' || others.length > 0) return noNamespace
  return host.id.slice(host.id.lastIndexOf('/') + 1)
}

function setOf(pool: ApiPool, namespace: string): ScaleSetFact {
  return {
    ...objectOf(pool.name, namespace, pool.name, null),
    origin: 'holdfast',
    version: null,
    runnerLabels: pool.labels,
    runnerGroup: null,
    configUrl: null,
    credentialSecret: null,
    credentialVault: null,
    minRunners: pool.minRunners,
    maxRunners: pool.maxRunners,
    template: emptyTemplate,
    forgeScaleSetId: null,
    phase: null,
    specHash: null,
    isSingleSetLayout: false,
    reportedRunners: pool.live,
  }
}

/** Where the pool has pods, they say it: `withOwnPools`. */
const emptyTemplate: ScaleSetFact['template'] = {
  containers: [],
  nodeSelector: {},
  tolerations: [],
  nodeAffinity: null,
  volumes: [],
  imagePullSecrets: [],
  priorityClass: null,
  serviceAccount: null,
  overhead: {},
  labels: {},
  podRules: null,
}

function runnerOf(
  runner: ApiRunner,
  namespace: string,
  jobById: ReadonlyMap<number, JobSummary>,
): RunnerFact {
  const { name, id, pool, state, reason, jobId } = runner
  return {
    ...objectOf(name, namespace, String(id), Date.parse(runner.createdAt)),
    origin: 'holdfast',
    scaleSet: { namespace, name: pool },
    runnerSet: null,
    phase: state,
    reason,
    message: null,
    isReady: ['polling', 'claimed', 'busy'].includes(state),
    forgeRunnerId: null,
    job: jobId === null ? null : jobOf(jobId, jobById.get(jobId)),
    failures: [],
    specHash: null,
    images: {},
  }
}

function jobOf(jobId: number, job: JobSummary | undefined): RunnerFact['job'] {
  return {
    requestId: `holdfast-${jobId}`,
    id: job === undefined ? null : String(job.forgeJobId),
    name: job?.name ?? null,
    repository: job?.repository ?? null,
    workflowRef: null,
    runId: job?.runId ?? null,
  }
}

function objectOf(name: string, namespace: string, id: string, createdAt: number | null): ObjectFact {
  return { namespace, name, uid: id, resourceVersion: '', createdAt, deletedAt: null, finalizers: [] }
}
