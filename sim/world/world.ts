import type { Instant } from '../../src/domain/time.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { createForgeCore, type ForgeCore } from '../forge/core/index.ts'
import { isAtRest } from './at-rest.ts'
import { checkBounds, drawBounds, isHeld } from './bounds.ts'
import { checkEnd, checkRest, createCheckers, type Violation, type Watched } from './checkers.ts'
import { createClusterFleet } from './cluster/fleet.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { createDiskTwin } from './disk.ts'
import { calmFaults, type Faults, stopFaults, wildFaults } from './faults.ts'
import { createForeignFleet, liftEscalated } from './foreign/index.ts'
import { installationBefore, leaveForgeBefore } from './forge-before.ts'
import { forgeSide } from './forge-side.ts'
import { createHistory } from './history.ts'
import { type Holdfast, type Surroundings, startHoldfast } from './holdfast.ts'
import { allDecisions, allTimeline, createMemoryLedger, type MemoryLedger } from './ledger/index.ts'
import { createLife, type LifeDeps } from './life.ts'
import { checkReclaimed } from './lost-jobs.ts'
import { createMachineFleet } from './machine-fleet.ts'
import type { NetworkDeps } from './network.ts'
import { startNewerVersion } from './newer-version.ts'
import { createOrigins } from './origins.ts'
import { createPeople } from './people.ts'
import { createRandom } from './random.ts'
import type { RunnerWorld } from './runner.ts'
import { createScheduler } from './scheduler.ts'
import { control, dispatch, installation, localPools, pool } from './settings.ts'
import { createSinkTwin } from './sink.ts'
import { plainSecrets, plainVault, plainWebhooks } from './twins.ts'
import { workingSince } from './working-since.ts'
import { createWorkload } from './workload.ts'

export interface WorldOptions {
  readonly seed: number
  /** A deliberately broken variant: what the processes see instead of the right ports. */
  readonly mutate?: (
    around: Surroundings,
    world: { readonly ledger: MemoryLedger; readonly core: ForgeCore },
  ) => Surroundings
}

export interface Outcome {
  readonly seed: number
  readonly violation: Violation | null
  readonly events: number
  readonly jobs: number
  readonly kills: number
  readonly requeues: number
  /** How often each rule decided. */
  readonly rules: Readonly<Record<string, number>>
  readonly virtualMs: number
  /** Every line of what happened: equal for equal seeds. */
  readonly history: string
}

/** While faults happen, and how long afterwards everything must have reached its end. */
const wildMs = 15 * 60_000
const quietMs = 4 * 60 * 60_000
/** Runners that hang are found and ended within this. */
const restMs = 10 * 60_000
const restartMs = 8_000
const shortQueueMs = 6 * 60_000
/** When a host is lost: within the rest of every history. */
const hostBounds = { lostAfterMs: 5 * 60_000, steadyMs: 60_000 } as const
/** When the second machine goes, and when it is back where it is: before or after its runners were given up. */
const awayMs = { from: 60_000, to: 10 * 60_000 } as const
const backMs = { from: 2 * 60_000, to: 30 * 60_000 } as const
/** Chance of each step of a runner's work. */
const reclaimedMost = 0.1
const hostFates = ['stays', 'gone', 'late'] as const
/** A history that needs more has a loop that turns for nothing, which is a defect too. */
const eventsMax = 400_000
/** Next to the first process: none, one more on the same machine, or a whole Holdfast on another one. */
const seconds = ['none', 'none', 'process', 'machine'] as const
/** How a host is asked to stop a runner, and how late that may arrive: a job can begin meanwhile. */
const stopCalls: readonly string[] = ['host.stop', 'cluster.stop']
const stopLateMs = { from: 1_000, to: 9_000 } as const
/** Where there is an archiver, how often it comes, and how much it takes. */
const archiveEveryMs = { from: 1_000, to: 8_000 } as const
/** There a runner may work for minutes before its job is known: audits are rare too. */
const rareAuditMs = 45_000
const archiveMax = 100
/** Where a pool has a limit for a job, and jobs run for up to four minutes. */
const jobLimitMs = { from: 20_000, to: 150_000 } as const
/** Of the histories of a cluster. */
const foreignShare = 0.4
/** Resyncs are rarer than in the program, so that a history is mostly events; wake-ups are as quick. */
const resyncFactor = 5

/** Runs one history: the real dispatch, intake, recovery and controllers on simulated ports, in virtual time. */
export async function runHistory({ seed, mutate = (around) => around }: WorldOptions): Promise<Outcome> {
  const random = createRandom(seed)
  const scheduler = createScheduler()
  const history = createHistory(scheduler.now)
  const isCalm = random.chance(0.1)
  // In some histories whatever is over is archived at once, while runners live that had to do with it.
  const archiver = createRandom(seed).fork('archiver')
  const hasArchiver = !isCalm && archiver.chance(0.5)
  const { bounds, restFactor } = drawBounds(seed, isCalm)
  // In some histories jobs run into the limit of their pool, and the forge may be one that cannot cancel them.
  const limits = createRandom(seed).fork('job limits')
  const maxJobMs = limits.chance(0.3) ? Math.round(limits.between(jobLimitMs.from, jobLimitMs.to)) : undefined
  const takesBack = createRandom(seed).fork('takes back').chance(0.3)
  // One that takes jobs back and cannot cancel them has a job run again for ever that is too long for its pool.
  const canCancel = takesBack || limits.chance(0.5)
  const faults: Faults = isCalm ? calmFaults() : wildFaults(random.fork('faults'))
  // In some histories runners are asked to stop while they work, as on reclaimed spot machines.
  const reclaims = createRandom(seed).fork('reclaims')
  if (!isCalm && reclaims.chance(0.4)) faults.runner.reclaimed = reclaims.between(0, reclaimedMost)
  const core = createForgeCore({
    entropy: random.fork('forge'),
    choose: random.chance(0.5) ? 'any' : 'oldest',
    // In some histories the forge ends what nobody takes for some minutes, as it does elsewhere after a day.
    delays: createRandom(seed).fork('patience').chance(0.1) ? { queuedForMs: shortQueueMs } : {},
    takesBack,
  })
  let served = installationBefore
  const ledger = createMemoryLedger({
    clock: scheduler,
    entropy: random.fork('ledger'),
    serves: () => served,
    hostBounds: () => hostBounds,
  })
  const jits = new Map<string, Set<string>>()
  const fell = new Map<string, Instant>()
  const origins = createOrigins(seed, core, scheduler, history, wildMs)
  const workload = createWorkload(random.fork('work'), core, scheduler, history, origins.forkOf)
  const people = createPeople(
    createRandom(seed).fork('people'),
    core,
    scheduler,
    history,
    isCalm ? 0 : wildMs,
    origins.forkOf,
  )
  const network: NetworkDeps = { scheduler, random: random.fork('network'), history, faults: faults.network }

  let violation: Violation | null = null
  let processes: Holdfast[] = []
  /** The view of the process that was started last. */
  let seen: Pick<Surroundings, 'ledger'>
  let kills = 0
  let isAway = false
  const server = () => pickServer(processes, scheduler.now())
  const runnerWorld: RunnerWorld & { history: typeof history } = {
    scheduler,
    random: random.fork('runners'),
    network,
    core,
    history,
    faults: faults.runner,
    server,
    workOf: workload.workOf,
    onStop: (runner) => {
      const since = workingSince(core, runner)
      if (since !== null && scheduler.now() - since < (maxJobMs ?? Number.POSITIVE_INFINITY))
        violation ??= { invariant: 'I4', what: `${runner} was stopped while it ran a job` }
    },
    reclaims,
    onFall: (runner) => void (fell.has(runner) || fell.set(runner, scheduler.now())),
    onJit: (runner, jit) => jits.set(jit, (jits.get(jit) ?? new Set()).add(runner)),
  }
  const records = createSinkTwin(ledger.rows)
  const second = random.pick(seconds)
  const isCluster = createRandom(seed).fork('fleet').chance(0.5)
  const diskRandom = createRandom(seed).fork('disk')
  const disk = createDiskTwin(
    { random: diskRandom, scheduler, history, rows: ledger.rows },
    isCalm || isCluster ? 0 : scheduler.now() + wildMs,
  )
  const shared = {
    ledger: ledger as Ledger,
    ...forgeSide({
      core,
      installation,
      now: scheduler.now,
      faults,
      random: random.fork('forge faults'),
      wildMs,
      canCancel,
    }),
    sink: records.sink,
    disk: isCluster ? null : disk.disk,
    webhooks: plainWebhooks(installation),
    vault: plainVault,
    secrets: plainSecrets(random.fork('secrets')),
  }
  const fleet = isCluster
    ? createClusterFleet(runnerWorld, ledger.rows, faults.process, maxJobMs, origins.rules)
    : createMachineFleet(runnerWorld, second === 'machine')

  // In some histories of a cluster there is a fleet of ARC as well, which the leader reaps.
  const arc = createRandom(seed).fork('foreign fleet')
  const foreign =
    isCluster && arc.chance(foreignShare)
      ? createForeignFleet({ random: arc, scheduler, history, onPerson: () => liftEscalated(ledger) })
      : null

  const begin = scheduler.now()
  // Idle runners are released when no job needs them; in some histories a job comes at that very time.
  const eager = createRandom(seed).fork('eager')
  const isEager = !isCalm && eager.chance(0.3)
  const onCall = (what: string): number => {
    if (!isEager || scheduler.now() >= begin + wildMs) return 0
    if (what === 'ledger.fence') workload.push()
    return stopCalls.includes(what) ? eager.between(stopLateMs.from, stopLateMs.to) : 0
  }

  function start(slot: 0 | 1, generation: number): void {
    const deps: LifeDeps = {
      scheduler,
      random: random.fork(`process ${slot}`),
      history,
      faults: faults.process,
      onCall,
      onKill: () => {
        kills += 1
        if (slot === 1 && isAway) return
        scheduler.after(restartMs, () => start(slot, generation + 1))
      },
    }
    const life = createLife(`holdfast-${slot}.${generation}`, deps)
    history.note(life.name, 'starts')
    const options = {
      control: { ...control, bounds, ...(hasArchiver && { auditEveryMs: rareAuditMs }) },
      dispatch,
      skewMs: faults.skewMs,
      runs: (loop: string) =>
        isCluster || slot === 0 || second === 'machine' || loop === 'intake' || loop === 'recovery',
      resyncFactor,
    }
    const sides = { ...fleet.openFor(life, slot, deps), foreign: foreign?.openFor(life) ?? null }
    const around = mutate({ ...shared, ...sides }, { ledger, core })
    seen = around
    processes = [
      ...processes.filter((process) => process.life.alive),
      startHoldfast(life, around, options, deps),
    ]
  }

  if (!isCluster) await ledger.putPools(localPools(limits, maxJobMs, origins.rules), { source: 'operator' })
  const past = createRandom(seed).fork('forge before')
  if (!isCluster && !isCalm && past.chance(0.3)) await leaveForgeBefore(ledger, pool.name, past, scheduler)
  served = installation
  start(0, 1)
  if (isCluster || second !== 'none') start(1, 1)
  if (!isCalm) fleet.begin(wildMs)
  foreign?.begin(isCalm ? 0 : wildMs)
  const hosts = createRandom(seed).fork('hosts')
  const hostFate = isCalm || isCluster || second !== 'machine' ? 'stays' : hosts.pick(hostFates)
  if (hostFate !== 'stays') scheduler.after(hosts.between(awayMs.from, awayMs.to), leave)

  /** The second machine is gone for good, or only its Holdfast for a while; its runners then go on. */
  function leave(): void {
    isAway = true
    history.note('world', `the second machine is ${hostFate}`)
    for (const { life } of processes) if (life.name.startsWith('holdfast-1.')) life.kill('with its machine')
    if (hostFate === 'gone') {
      fleet.loseSecond?.()
      return
    }
    scheduler.after(hosts.between(backMs.from, backMs.to), () => {
      isAway = false
      start(1, 1_000)
    })
  }

  function archiveSoon(): void {
    scheduler.after(archiver.between(archiveEveryMs.from, archiveEveryMs.to), async () => {
      if (scheduler.now() >= begin + wildMs) return
      await seen.ledger.archive(0, archiveMax)
      archiveSoon()
    })
  }
  if (hasArchiver) archiveSoon()
  // In some histories a newer version works on the same ledger; what it wrote can be read when the faults are over.
  const newer = createRandom(seed).fork('newer version')
  if (!isCalm && newer.chance(0.4))
    startNewerVersion({ ledger, random: newer, scheduler, history }, begin + wildMs)

  const check = createCheckers()
  let quietSince: Instant | null = null
  let events = 0
  const watched = (): Watched => ({
    ...{ rows: ledger.rows, core, origins, jits, fell },
    ...{ now: scheduler.now(), quietSince },
  })
  const afterEach = () => {
    events += 1
    core.advance(scheduler.now())
    deliverWebhooks(core.takeWebhooks(), { core, network, server })
    violation ??= check(watched()) ?? fleet.check(watched()) ?? records.check() ?? foreign?.check() ?? null
    if (events > eventsMax) violation ??= { invariant: 'end', what: `more than ${eventsMax} events` }
  }

  await scheduler.run(begin + wildMs, afterEach, () => violation !== null)
  stopFaults(faults)
  shared.limit.lift()
  fleet.calm()
  quietSince = scheduler.now()
  history.note('world', 'no more faults from here')
  const isBack = () => hostFate !== 'late' || !isAway
  const atRest = () => workload.done() && people.done() && fleet.isMended() && isBack() && isAtRest(watched())
  await scheduler.run(quietSince + quietMs, afterEach, () => violation !== null || atRest())
  violation ??= checkEnd(watched())
  if (violation === null) {
    await scheduler.run(scheduler.now() + restFactor * restMs, afterEach, () => violation !== null)
    violation ??= checkRest(watched(), fleet.living()) ?? fleet.checkRest(watched())
    // Records sealed by now may have made more jobs lost.
    violation ??= checkEnd(watched()) ?? checkReclaimed(watched())
    violation ??= records.checkRest(watched()) ?? disk.checkRest()
    violation ??= checkBounds(ledger.rows, bounds) ?? foreign?.checkRest() ?? null
  }

  return {
    seed,
    violation,
    events,
    jobs: core.jobs().length,
    kills,
    requeues: allTimeline(ledger.rows).filter((row) => row.kind === 'requeued').length,
    rules: tally([
      ...allDecisions(ledger.rows).flatMap((each) => [
        each.rule,
        ...(isHeld(each) ? ['recovery-bound'] : []),
      ]),
      ...Array.from({ length: foreign?.removed() ?? 0 }, () => 'foreign-runner-reaped'),
    ]),
    virtualMs: scheduler.now() - begin,
    history: history.digest(),
  }
}

/** A process that is up; a frozen one only where there is no other. */
function pickServer(processes: readonly Holdfast[], now: Instant): Holdfast | null {
  const alive = processes.filter(({ life }) => life.alive)
  return alive.find(({ life }) => life.pausedUntil <= now) ?? alive[0] ?? null
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}
