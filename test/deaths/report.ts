import type { DeathRecord } from '../../src/domain/death/index.ts'
import type { DeathKind } from './kind.ts'

/** What came of one kind of death. */
export interface Result {
  readonly kind: Pick<DeathKind<never>, 'name' | 'how' | 'classes' | 'isSeenLate'>
  readonly where: 'pod' | 'process'
  /** Records of the runner's death. */
  readonly records: number
  readonly found: Pick<DeathRecord, 'class' | 'rule' | 'confidence' | 'because'> | null
  /** From its end, as the host says it, until it was sealed. */
  readonly sealedAfterMs: number | null
  /** What else was wrong: it could not be caused, or its record does not hold what it must. */
  readonly problem: string | null
  readonly tookMs: number
}

const wordsMax = 500

export interface Summary {
  readonly all: number
  readonly recorded: number
  readonly right: number
  readonly wrong: number
  /** Wrong, and said to be proven. */
  readonly wronglyProven: number
  readonly latencyMs: { readonly p50: number; readonly max: number } | null
  readonly passed: number
}

export function summarise(results: readonly Result[]): Summary {
  const right = results.filter(isRight).length
  const wrong = results.filter((each) => each.found !== null && !isRight(each))
  const timed = results.flatMap(({ kind, sealedAfterMs }) =>
    kind.isSeenLate || sealedAfterMs === null ? [] : [sealedAfterMs],
  )
  return {
    all: results.length,
    recorded: results.filter(({ records }) => records === 1).length,
    right,
    wrong: wrong.length,
    wronglyProven: wrong.filter(({ found }) => found?.confidence === 'proven').length,
    latencyMs: timed.length === 0 ? null : { p50: median(timed), max: Math.max(...timed) },
    passed: results.filter(isPassed).length,
  }
}

export function isPassed(result: Result): boolean {
  return result.records === 1 && isRight(result) && result.problem === null
}

/** One line for who watches. */
export function resultLine(result: Result): string {
  const { kind, where, found, records, problem, sealedAfterMs, tookMs } = result
  const said = found === null ? 'no record' : `${found.class}, ${found.confidence} (${found.rule})`
  const wrong = [
    ...(records === 1 ? [] : [`${records} records`]),
    ...(found === null || isRight(result) ? [] : [`expected ${kind.classes.join(' or ')}`]),
    ...(problem === null ? [] : [problem]),
    ...(isPassed(result) || found === null ? [] : [`it says: ${found.because.join(' ').slice(0, wordsMax)}`]),
  ]
  const seconds = `sealed ${secondsOf(sealedAfterMs)} after its end, ${secondsOf(tookMs)} in all`
  const mark = isPassed(result) ? 'ok  ' : 'FAIL'
  return [`${mark} ${where} ${kind.name}: ${said}; ${seconds}`, ...wrong.map((what) => `     ${what}`)].join(
    '\n',
  )
}

export function summaryLines(summary: Summary): string[] {
  const { all, recorded, right, wrong, wronglyProven, latencyMs } = summary
  return [
    `kinds of death caused: ${all}`,
    `recorded, exactly once: ${recorded}`,
    `classed right: ${right}`,
    `classed wrong: ${wrong}, of these with confidence "proven": ${wronglyProven}`,
    latencyMs === null
      ? 'from the end to the seal: not measured'
      : `from the end to the seal: median ${secondsOf(latencyMs.p50)}, longest ${secondsOf(latencyMs.max)}`,
  ]
}

/** The page docs/deaths-matrix.md. */
export function matrixPage(results: readonly Result[]): string {
  const rows = results.map(({ kind, where, found, sealedAfterMs }) => [
    ...[where, kind.name, kind.how],
    ...(found === null ? ['none', '', ''] : [`\`${found.class}\``, found.rule, found.confidence]),
    kind.isSeenLate ? 'late' : secondsOf(sealedAfterMs),
  ])
  const head = ['runner', 'death', 'caused by', 'class', 'rule', 'confidence', 'sealed after']
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`)
  return `# Deaths that were really caused, and what was found

<!-- Written by \`npm run test:deaths -- --write\`; edit test/deaths, not this page. -->

Each row is a runner that really died in this way: as a pod of a real Kubernetes of three nodes, or as a process of
the machine. No agent ran on the nodes, so that nothing here leans on what only it sees. "Sealed after" is from the end
as the kubelet says it, in whole seconds, to the record in the ledger; "late" where the end could not be seen at once,
by what was done. Classes and rules are explained in the [reference](reference/deaths.md).

${summaryLines(summarise(results))
  .map((line) => `- ${line}`)
  .join('\n')}

${lines.join('\n')}
`
}

function isRight({ kind, found }: Result): boolean {
  return found !== null && kind.classes.includes(found.class)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number
}

function secondsOf(ms: number | null): string {
  return ms === null ? '?' : `${(ms / 1000).toFixed(1)} s`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
