import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { World } from '../../cluster/fleet/world.ts'
import { until } from '../../cluster/machine/until.ts'
import { type CrowdEnd, endAt, outputBefore } from './ends.ts'
import { type CrowdResult, type CrowdRow, type Ended, judgeCrowd } from './judge.ts'
import { serveKubeletLogs } from './logs.ts'

/** Nodes that are only objects: their pods do not run, and end by what is said of them. */
export const crowdNodes = 4
export const crowdName = '500-deaths'
const deaths = 500
/** As so many nodes would say it, at the same time. */
const saidAtOnce = 16
const madeWithinMs = 120_000
const soonMs = 30_000
const sealedWithinMs = 90_000
const goneWithinMs = 60_000
const lookEveryMs = 500
const measureEveryMs = 100
const mergePatch = 'application/merge-patch+json'
const pool = {
  maxRunners: deaths,
  idleTimeoutSeconds: 3_600,
  stopGraceSeconds: 4,
  resources: { requests: { cpu: '10m', memory: '16Mi' } },
  provisioning: { maxStartingPerNode: 1_000, startDeadlineSeconds: 900 },
  template: {
    spec: {
      nodeSelector: { type: 'kwok' },
      tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }],
    },
  },
}

/**
 * 500 runners of the real Holdfast die at once: real pods of a real API server on nodes that are only objects, whose
 * last words are said for them. Gives what became of each.
 */
export async function runCrowd(
  world: World,
  holdfastPid: () => number,
  say: (line: string) => void,
): Promise<CrowdResult> {
  const ends = new Map<string, CrowdEnd>()
  const nodes = Array.from({ length: crowdNodes }, (_, index) => `kwok-${index + 1}`)
  const logs = await serveKubeletLogs(world.cluster, nodes, (pod, container) =>
    container === 'runner'
      ? `${outputBefore}this is what ${pod} wrote\n${ends.get(pod)?.lastLines ?? ''}`
      : `no job for ${pod} yet\n`,
  )
  try {
    const names = await gather(world, say)
    const memory = watchMemory(holdfastPid())
    const ended = await endAll(world, names, ends)
    await untilSealed(world)
    const facts = { ended, memoryMb: await memory(), podsLeft: await podsLeft(world) }
    return judgeCrowd({ ...facts, rows: await rowsOf(world) })
  } finally {
    await world.removePool(crowdName)
    await logs[Symbol.asyncDispose]()
  }
}

/** Has so many runners made, and gives their names once each waits for a job. */
async function gather(world: World, say: (line: string) => void): Promise<readonly string[]> {
  const began = performance.now()
  await world.pool(crowdName, { ...pool, minWarm: deaths })
  const names = await until(`${deaths} pods wait for a job`, madeWithinMs, () => waiting(world))
  // Nobody takes the place of those that die.
  await world.pool(crowdName, { ...pool, minWarm: 0 })
  await until('Holdfast has the new spec', soonMs, async () => {
    const sql = `select spec ->> 'minWarm' as warm from pools where name = $1`
    return (await world.rows.ask(sql, crowdName))[0]?.warm === '0'
  })
  say(`${deaths} runners are there after ${Math.round((performance.now() - began) / 1_000)} s, and die now`)
  return names
}

async function endAll(
  world: World,
  names: readonly string[],
  ends: Map<string, CrowdEnd>,
): Promise<readonly Ended[]> {
  const ended: Ended[] = []
  await sideBySide(names.entries(), async ([place, name]) => {
    const end = endAt(place)
    ends.set(name, end)
    await endPod(world, name, end)
    ended.push({ name, expected: end.gives, endedAtMs: Date.now() })
  })
  return ended
}

/** Waits until all ends are sealed, or the deadline passes: the judge names those that are missing. */
async function untilSealed(world: World): Promise<void> {
  const isOver = async () => (await openOf(world)) === 0 || pause(lookEveryMs, false)
  await until('all are on record', sealedWithinMs, isOver).catch(() => undefined)
}

async function podsLeft(world: World): Promise<number> {
  const isOver = async () => (await podsOf(world)).length === 0 || pause(lookEveryMs, false)
  await until('no pod is left', goneWithinMs, isOver).catch(() => undefined)
  return (await podsOf(world)).length
}

/** The names of all, once each waits for a job on its node. */
async function waiting(world: World): Promise<readonly string[] | false> {
  const there = (await podsOf(world)).filter(({ status }) => status.initContainerStatuses?.length > 0)
  return there.length === deaths
    ? there.map(({ metadata }) => metadata.name as string)
    : pause(lookEveryMs, false)
}

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
async function podsOf(world: World): Promise<readonly any[]> {
  const where = `${world.at('pods')}?labelSelector=${encodeURIComponent(`holdfast.dev/pool=${crowdName}`)}`
  return (await world.cluster.api.request('GET', where)).body.items
}

async function endPod(world: World, name: string, { status, by }: CrowdEnd): Promise<void> {
  const at = new Date().toISOString().replace(/\.\d+/, '') // as the API writes times
  const where = world.at(`pods/${name}`)
  const { api } = world.cluster
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }
  const answer =
    status !== null
      ? await api.request('PATCH', `${where}/status`, { status: status(at) }, mergePatch)
      : by === 'eviction'
        ? await api.request('POST', `${where}/eviction`, eviction)
        : await api.request('DELETE', `${where}?gracePeriodSeconds=0`)
  if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${answer.text}`)
}

async function openOf(world: World): Promise<number> {
  const sql = 'select count(*)::int as open from runners where pool = $1 and ended_at is null'
  return (await world.rows.ask(sql, crowdName))[0].open
}

function rowsOf(world: World): Promise<readonly CrowdRow[]> {
  return world.rows.ask(
    `select name, record ->> 'class' as class, record ->> 'outcome' as outcome,
            extract(epoch from sealed_at)::float8 * 1000 as "sealedAtMs",
            case when record #>> '{ending,tail}' <> '' then record #>> '{ending,tail}' like '%' || name || '%' end
              as "isOwnLog"
       from runners left join evidence on runner_id = runners.id and kind = 'runner-death'
      where pool = $1`,
    crowdName,
  )
}

/** Looks at the memory of a process until called: what it had, and the most that was seen. */
function watchMemory(pid: number): () => Promise<{ readonly before: number; readonly peak: number }> {
  const seen: number[] = []
  let isOver = false
  const looking = (async () => {
    for (; !isOver; await pause(measureEveryMs)) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      seen.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1_024)
    }
  })()
  return async () => {
    isOver = true
    await looking
    return { before: seen[0] ?? Number.NaN, peak: Math.max(...seen) }
  }
}

async function sideBySide<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: saidAtOnce }, async () => {
      for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
    }),
  )
}
