import type { CrashForge } from './forge.ts'
import { killPostgres, type Life, type Place, startHoldfast } from './holdfast.ts'
import type { Point } from './points.ts'

/** Counts of the rounds so far. */
export interface Tally {
  readonly kills: Record<
    'at a step' | 'at random' | 'during shutdown' | 'of Postgres' | 'during migration',
    number
  >
  readonly met: Set<string>
  jobs: number
}

export interface Ground {
  readonly place: Place
  readonly forge: CrashForge
  readonly tally: Tally
  /** In [0, 1), from the round's seed. */
  readonly chance: () => number
}

/** How long a step may take to be reached, once the program serves, before it is killed wherever it is. */
const reachedWithinMs = 10_000

const scripts = ['true', 'sleep 0.3', 'sleep 1; echo done', 'exit 3'] as const
/** Ends the runner's own program, so that a death has to be sealed and the job found lost. */
const deadly = 'kill -9 $PPID; sleep 5'

export async function submitJobs({ forge, tally }: Ground, withDeaths: boolean): Promise<number[]> {
  const ids: number[] = []
  for (const [n, script] of (withDeaths ? [...scripts, deadly] : scripts).entries()) {
    ids.push(
      await forge.submit({ repository: n % 2 === 0 ? 'acme/web' : 'acme/api', name: `job ${n}`, script }),
    )
  }
  tally.jobs += ids.length
  return ids
}

/** Runs the program until it kills itself at the point, or for a while; then kills it. */
export async function killAt(point: Point, ground: Ground, nth: number): Promise<void> {
  const { tally } = ground
  const life = startHoldfast(ground.place, { ...point, nth })
  let isLate = false
  const waiting = servingOrDead(life).then(() =>
    setTimeout(() => {
      isLate = true
      life.kill('SIGKILL')
    }, reachedWithinMs),
  )
  const { signal } = await life.exited
  clearTimeout(await waiting)
  const byItself = signal === 'SIGKILL' && !isLate
  tally.kills[byItself ? 'at a step' : 'at random'] += 1
  if (byItself) tally.met.add(`${point.call} ${point.when}`)
}

export async function killAtRandom(ground: Ground): Promise<void> {
  const life = startHoldfast(ground.place)
  await servingOrDead(life)
  await pause(ground.chance() * 2_000)
  life.kill('SIGKILL')
  await life.exited
  ground.tally.kills['at random'] += 1
}

export async function killInShutdown(ground: Ground): Promise<void> {
  const life = startHoldfast(ground.place)
  await servingOrDead(life)
  await pause(ground.chance() * 1_000)
  life.kill('SIGTERM')
  await Promise.race([life.exited, pause(ground.chance() * 2_500)])
  if (life.alive()) ground.tally.kills['during shutdown'] += 1
  life.kill('SIGKILL')
  await life.exited
}

/** Kills it while it may be making its database or its tables. */
export async function killWhileStarting(ground: Ground): Promise<void> {
  const life = startHoldfast(ground.place)
  await pause(200 + ground.chance() * 1_800)
  if (life.alive()) ground.tally.kills['during migration'] += 1
  life.kill('SIGKILL')
  await life.exited
}

export async function killPostgresUnder(life: Life, ground: Ground): Promise<void> {
  await servingOrDead(life)
  await pause(ground.chance() * 1_000)
  if (await killPostgres(ground.place)) ground.tally.kills['of Postgres'] += 1
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}

async function servingOrDead(life: Life): Promise<void> {
  await life.serving.catch(() => undefined)
}
