import { atLeast, atMost, type BenchContext, median, percentile, type Row } from '../../report.ts'
import { type CaptureGround, type EndName, endNames, openCaptureGround } from './ground.ts'
import { endedPods } from './hosts.ts'
import { type Ledgers, openLedgers } from './ledgers.ts'
import { bareRound, manyAtOnce, ourRound, type Round } from './rounds.ts'
import { createSpans } from './spans.ts'

/** The permitted cost of capture, as a multiple of the bare loop. */
const goal = 1.5
const sizes = { quick: { pods: 12, rounds: 2 }, whole: { pods: 64, rounds: 5 } } as const
const words: Readonly<Record<EndName, string>> = { death: 'deaths', clean: 'clean ends' }

/** Records captured and sealed, next to a loop that only reads the pod and its log, of the same pods at the same server. */
export async function captureRows({ quick, say, pods: asked }: BenchContext): Promise<Row[]> {
  const { rounds, pods: own } = quick ? sizes.quick : sizes.whole
  const pods = asked?.[0] ?? own
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort(new Error('interrupted'))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const ground = await openCaptureGround(say, interrupted.signal)
  let ledgers: Ledgers | undefined
  try {
    say(`${pods} pods of each end run on a real node`)
    const names = await endedPods(ground, pods, interrupted.signal)
    ledgers = await openLedgers(names)
    const rows: Row[] = []
    for (const end of endNames) {
      const scene = {
        ground,
        ledgers,
        end,
        names: names.get(end) ?? [],
        rounds,
        signal: interrupted.signal,
        say,
      }
      for (const atOnce of [1, manyAtOnce] as const) rows.push(...(await compare(scene, atOnce)))
      rows.push(await released(scene))
    }
    return rows
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await ledgers?.close()
    await ground.close()
  }
}

interface Scene {
  readonly ground: CaptureGround
  readonly ledgers: Ledgers
  readonly end: EndName
  readonly names: readonly string[]
  readonly rounds: number
  /** Aborted where somebody wants it to end: all is taken down then. */
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

/** By turns, so that both meet the same machine; the first of each only warms up. */
async function compare(scene: Scene, atOnce: 1 | typeof manyAtOnce): Promise<Row[]> {
  const { ground, ledgers, end, names, rounds, signal, say } = scene
  const bare: Round[] = []
  const ours: Round[] = []
  let spans = createSpans()
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted()
    if (round === 1) spans = createSpans()
    bare.push(await bareRound(ground, ledgers, names, atOnce))
    ours.push(await ourRound(ground, ledgers, { names, atOnce, isReleasing: false, spans }))
  }
  const [ourEach, bareEach] = [ours, bare].map(eachOf) as [number[], number[]]
  const how = `${words[end]}, ${atOnce === 1 ? 'one at a time' : `${atOnce} at once`}`
  say(`${how}: ${spans.words(names.length * rounds)}`)
  say(`  slowest of a hundred: ${tail(ourEach)} ms, of the bare loop ${tail(bareEach)} ms`)
  say(`  processor ms a record: ${ours.at(-1)?.processors}`)
  say(`  processor ms a turn of the bare loop: ${bare.at(-1)?.processors}`)
  const latency = atMost(`${how}: from the end seen to sealed`, 'ms', median(ourEach), median(bareEach), goal)
  if (atOnce === 1) return [latency]
  const perSecond = (of: readonly Round[]) =>
    median(of.slice(1).map(({ wholeMs }) => (names.length * 1_000) / wholeMs))
  const least = Number((1 / goal).toFixed(2))
  return [latency, atLeast(`${how}: records sealed`, '/s', perSecond(ours), perSecond(bare), least)]
}

/** The same with their pods released, which the bare loop does not do; runs last, since no pods are left after it. */
async function released({ ground, ledgers, end, names, say }: Scene): Promise<Row> {
  const spans = createSpans()
  const bare = await bareRound(ground, ledgers, names, manyAtOnce)
  const ours = await ourRound(ground, ledgers, { names, atOnce: manyAtOnce, isReleasing: true, spans })
  say(`${words[end]}, with their pods released: ${spans.words(names.length)}`)
  const perSecond = ({ wholeMs }: Round) => (names.length * 1_000) / wholeMs
  const metric = `${words[end]}, ${manyAtOnce} at once: sealed, and the pod released`
  return atLeast(metric, '/s', perSecond(ours), perSecond(bare), null)
}

function eachOf(rounds: readonly Round[]): number[] {
  return rounds.slice(1).flatMap(({ eachMs }) => eachMs)
}

function tail(values: readonly number[]): string {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.99,
  ).toFixed(0)
}
