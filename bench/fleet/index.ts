import { loadavg } from 'node:os'
import { atLeast, atMost, type Bench, type BenchContext, median, type Row } from '../report.ts'
import { connectionsMax } from './api.ts'
import { bareCreates } from './bare.ts'
import { type Ground, openGround } from './ground.ts'
import { type Burst, burst } from './scenes/burst.ts'
import { cancelled } from './scenes/cancelled.ts'
import { type Crowd, crowds } from './scenes/crowd.ts'
import { trickle } from './scenes/trickle.ts'

const goals = {
  lastPod: 1.3,
  lastPodSlowMint: 2,
  writes: 5,
  goneMs: 15_000,
  startsPerSecond: 500,
  rssMb: new Map([
    [1_000, 150],
    [10_000, 300],
  ]),
  stallMs: 100,
  /** The bound of "near zero", in percent of one processor. */
  idleCpuPercent: 5,
  /** Not worse than linear, and some noise. */
  growth: 1.2,
} as const
const slowMintMs = 100
const watchLateMs = 5_000
const rounds = 3
/** How long nothing happens while that is looked at. */
const idleMs = 30_000

export const fleetBench: Bench = {
  name: 'fleet',
  about: 'runners as pods on a real API server, against a bare loop of creates with as many connections',
  async run(context) {
    const { say } = context
    say(
      'The nodes are KWOK’s: their pods are objects and do not run. The bench plays their pollers over HTTP with',
    )
    say(
      'their own bound tokens, the kubelet’s last word and the log; everything else is real, commits are durable.',
    )
    say(`load average at the start: ${shownLoad()}`)
    const interrupted = interruption()
    const ground = await openGround(say, interrupted.signal)
    try {
      return await Promise.race([measure(ground, context), interrupted.promise])
    } catch (error) {
      const log = await ground.life().log()
      say(`Holdfast's log ends with:\n${log.split('\n').slice(-15).join('\n')}`)
      throw error
    } finally {
      await ground.close()
      say(`load average at the end: ${shownLoad()}`)
    }
  },
}

const sceneNames = ['burst', 'stale', 'cancelled', 'trickle', 'crowd'] as const

async function measure(
  ground: Ground,
  { quick, say: sayLine, jobs, pods, scenes = sceneNames }: BenchContext,
): Promise<Row[]> {
  const began = performance.now()
  const say = (line: string): void =>
    sayLine(`${Math.round((performance.now() - began) / 1_000)} s: ${line}`.padStart(7))
  const sizes = jobs ?? (quick ? [100] : [100, 300, 1_000])
  const crowdSizes = pods ?? (quick ? [200] : [100, 1_000, 10_000])
  const many = sizes.at(-1) as number
  say('warming up')
  await bareCreates(ground, 50, connectionsMax) // everyone has met the code once
  await burst(ground, { count: 50, mintMs: 0, asks: 'when all are there', startsTogether: false })
  const rowsOf: Record<(typeof sceneNames)[number], () => Promise<Row[]>> = {
    async burst() {
      const rows: Row[] = []
      for (const count of sizes) rows.push(...(await burstRows(ground, count, quick, say)))
      return rows
    },
    stale: () => staleRows(ground, Math.min(300, many), say),
    cancelled: () => cancelledRows(ground, many, say),
    trickle: () => trickleRows(ground, say),
    crowd: async () => crowdRows(await crowds(ground, crowdSizes, quick ? 10_000 : idleMs, say), say),
  }
  const rows: Row[] = []
  for (const scene of sceneNames.filter((name) => scenes.includes(name))) {
    say(scene)
    try {
      rows.push(...(await rowsOf[scene]()))
    } catch (error) {
      // One scene that cannot be played through hides none of the others.
      say(`${scene} was given up: ${error}`)
      rows.push({ ...exactly(`${scene}: played through`, '', 0, 1) })
      await ground.clear()
    }
  }
  return rows
}

async function burstRows(
  ground: Ground,
  count: number,
  quick: boolean,
  say: BenchContext['say'],
): Promise<Row[]> {
  const bare: number[] = []
  const plain: Burst[] = []
  const times = quick || count >= 1_000 ? 1 : rounds
  for (let round = 0; round < times; round += 1) {
    bare.push(await bareCreates(ground, count, connectionsMax))
    const plan = { count, mintMs: 0, asks: 'when all are there', startsTogether: true } as const
    plain.push(await burst(ground, plan))
  }
  bare.push(await bareCreates(ground, count, connectionsMax)) // with the last an odd number: its median is one of them
  const slow = await burst(ground, { count, mintMs: slowMintMs, asks: 'at once', startsTogether: false })
  bare.push(await bareCreates(ground, count, connectionsMax))
  const bareMs = median(bare)
  const last = plain.at(-1) as Burst
  say(`${count} jobs: bare ${shown(bare)} ms; ours ${shown(plain.map(({ lastPodMs }) => lastPodMs))} ms`)
  say(`  until the last pod, in percent of one processor: ${last.processors}`)
  say(`  while starts were recorded: ${last.processorsOfStarts}`)
  say(`  with slow mints, until the last pod: ${slow.processors}`)
  say(`  the way to a JIT then, median: ${slow.wayToJit}`)
  say(`  requests: ${last.spent.words}`)
  say(`  requests with slow mints: ${slow.spent.words}`)
  const all = [...plain, slow]
  const writes = Math.max(...all.map(({ spent, jobs }) => spent.writes / jobs))
  const sum = (pick: (one: Burst) => number) => all.reduce((total, one) => total + pick(one), 0)
  const lastPodMs = median(plain.map((one) => one.lastPodMs))
  const starts = median(plain.map((one) => one.startsPerSecond as number))
  const goalOfStarts = count >= 1_000 ? 1 : null
  return [
    atMost(`${count} jobs queued → last pod`, 'ms', lastPodMs, bareMs, goals.lastPod),
    atMost(
      `… with ${slowMintMs} ms a mint, pollers at work`,
      'ms',
      slow.lastPodMs,
      bareMs,
      goals.lastPodSlowMint,
    ),
    atMost('… and to the last JIT in a poller’s hands', 'ms', slow.lastJitMs, bareMs, goals.lastPodSlowMint),
    atMost('… queued → JIT, p50', 'ms', slow.jitMs.p50, bareMs, null),
    atMost('… queued → JIT, p99', 'ms', slow.jitMs.p99, bareMs, null),
    exactly(
      '… runners made, of jobs',
      'runners',
      sum(({ runners }) => runners),
      sum((one) => one.jobs),
    ),
    exactly(
      '… pods made, of jobs',
      'pods',
      sum((one) => one.pods),
      sum((one) => one.jobs),
    ),
    atMost('… API writes a runner life', 'writes', writes, goals.writes, 1),
    atMost(
      '… writes of the pool (status, events) besides, for each',
      'writes',
      ...([sum(({ spent }) => spent.poolWrites) / sum((one) => one.jobs), goals.writes, null] as const),
    ),
    none(
      '… API reads (watches and log reads apart)',
      'reads',
      sum(({ spent }) => spent.reads),
    ),
    atMost(
      '… log reads a runner life',
      'reads',
      sum(({ spent }) => spent.logs),
      sum((one) => one.jobs),
      null,
    ),
    atLeast('… job starts recorded', 'per s', starts, goals.startsPerSecond, goalOfStarts),
  ]
}

async function staleRows(ground: Ground, count: number, say: BenchContext['say']): Promise<Row[]> {
  await ground.restart(watchLateMs)
  const seen = await burst(ground, { count, mintMs: 0, asks: 'at once', startsTogether: false })
  await ground.restart()
  say(
    `watches ${watchLateMs / 1_000} s late: ${seen.pods} pods and ${seen.runners} runners for ${seen.jobs} jobs`,
  )
  const metric = `runners made, of jobs, watches ${watchLateMs / 1_000} s late`
  return [exactly(metric, 'runners', Math.max(seen.runners, seen.pods), seen.jobs)]
}

async function cancelledRows(ground: Ground, count: number, say: BenchContext['say']): Promise<Row[]> {
  const { goneMs, processors } = await cancelled(ground, count)
  say(`until the last of ${count} idle pods was gone, in percent of one processor: ${processors}`)
  return [atMost(`${count} idle runners of cancelled jobs gone`, 'ms', goneMs, goals.goneMs, 1)]
}

async function trickleRows(ground: Ground, say: BenchContext['say']): Promise<Row[]> {
  const count = 100
  const bareMs = await bareCreates(ground, 1, 1)
  say(`${count} jobs, ten a second, no warm runner: against one bare create`)
  const { p50, p99 } = await trickle(ground, count)
  return [
    atMost('job queued at the forge → JIT, p50', 'ms', p50, bareMs, null),
    atMost('job queued at the forge → JIT, p99', 'ms', p99, bareMs, null),
  ]
}

function crowdRows(seen: readonly Crowd[], say: BenchContext['say']): Row[] {
  for (const one of seen) {
    say(
      `${one.count} idle: grown in ${Math.round(one.growMs / 1_000)} s; requests while idle: ${one.idleSpent.words}`,
    )
    say(`  while it grew, in percent of one processor: ${one.processors}`)
    say(`  memory: ${one.memory}, peak RSS ${Math.round(one.rssPeakMb)} MB`)
    say(`  ${one.cpuMsEach.toFixed(2)} ms of processor for each runner`)
  }
  return seen.flatMap((one, index) => {
    const at = `${one.count} idle runners`
    const rss = goals.rssMb.get(one.count)
    const before = seen[index - 1]
    const { writes, poolWrites, reads, logs } = one.idleSpent
    const requests = writes + poolWrites + reads + logs
    return [
      atMost(
        `RSS at ${at}`,
        'MB',
        one.rssMb,
        rss ?? goals.rssMb.get(1_000) ?? 0,
        rss === undefined ? null : 1,
      ),
      atMost(`longest stall while they came`, 'ms', one.stallGrowingMs, goals.stallMs, 1),
      atMost(`longest stall at ${at}`, 'ms', one.stallIdleMs, goals.stallMs, 1),
      atMost(`processor at ${at}`, '%', one.idleCpuPercent, goals.idleCpuPercent, 1),
      none(`API requests at ${at} (watches and the lease apart)`, 'requests', requests),
      ...(before === undefined
        ? []
        : [
            atMost(
              `processor for each, ${one.count} against ${before.count}`,
              'ms',
              ...([one.cpuMsEach, before.cpuMsEach, goals.growth] as const),
            ),
          ]),
    ]
  })
}

/** A bench that is ended by one or several signals leaves no cluster behind. */
function interruption() {
  const { promise, reject } = Promise.withResolvers<never>()
  const controller = new AbortController()
  promise.catch(() => undefined) // it may come before anybody waits for it
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const error = new Error(`${signal}: taking everything down`)
      controller.abort(error)
      reject(error)
    })
  }
  return { promise, signal: controller.signal }
}

/** A figure that has to be what it is compared with. */
function exactly(metric: string, unit: string, value: number, wanted: number): Row {
  return { metric, unit, value, baseline: wanted, ratio: value / wanted, goal: '= 1', met: value === wanted }
}

/** A figure that has to be nothing. */
function none(metric: string, unit: string, value: number): Row {
  return { metric, unit, value, baseline: 0, ratio: value, goal: '= 0', met: value === 0 }
}

function shown(values: readonly number[]): string {
  return values.map((value) => Math.round(value)).join(' ')
}

function shownLoad(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
}
