import type { DeathRecord } from '../../src/domain/death/index.ts'
import { type CrowdResult, crowdLines } from './crowd/index.ts'
import type { DeathKind } from './kind.ts'

/** The result of one kind of death. */
export interface Result {
  readonly kind: Pick<DeathKind<never>, 'name' | 'how' | 'classes' | 'isSeenLate' | 'staged'>
  readonly where: 'pod' | 'process'
  /** Records of the runner's death. */
  readonly records: number
  readonly found: Pick<DeathRecord, 'class' | 'rule' | 'confidence' | 'because'> | null
  /** From its end, as the host says it, until it was sealed. */
  readonly sealedAfterMs: number | null
  /** Any other problem: it could not be caused, or its record lacks something. */
  readonly problem: string | null
  readonly tookMs: number
}

const wordsMax = 500

export interface Summary {
  readonly all: number
  /** Deaths that a program only printed. */
  readonly onlySaid: number
  readonly recorded: number
  /** As what was really done. */
  readonly right: number
  /** As something else that is true as well, or that only more evidence could distinguish. */
  readonly accepted: number
  readonly wrong: number
  /** Wrong, and said to be proven. */
  readonly wronglyProven: number
  readonly latencyMs: { readonly p50: number; readonly max: number } | null
  readonly passed: number
}

export function summarise(results: readonly Result[]): Summary {
  const wrong = results.filter((each) => each.found !== null && !isAccepted(each))
  const timed = results.flatMap(({ kind, sealedAfterMs }) =>
    kind.isSeenLate || sealedAfterMs === null ? [] : [sealedAfterMs],
  )
  return {
    all: results.length,
    onlySaid: results.filter(({ kind }) => kind.staged === 'words').length,
    recorded: results.filter(({ records }) => records === 1).length,
    right: results.filter(isRight).length,
    accepted: results.filter((each) => isAccepted(each) && !isRight(each)).length,
    wrong: wrong.length,
    wronglyProven: wrong.filter(({ found }) => found?.confidence === 'proven').length,
    latencyMs: timed.length === 0 ? null : { p50: median(timed), max: Math.max(...timed) },
    passed: results.filter(isPassed).length,
  }
}

export function isPassed(result: Result): boolean {
  return result.records === 1 && isAccepted(result) && result.problem === null
}

/** One line for who watches. */
export function resultLine(result: Result): string {
  const { kind, where, found, records, problem, sealedAfterMs, tookMs } = result
  const verdict = found === null ? 'no record' : `${found.class}, ${found.confidence} (${found.rule})`
  const wrong = [
    ...(records === 1 ? [] : [`${records} records`]),
    ...(found === null || isAccepted(result) ? [] : [`expected ${kind.classes.join(' or ')}`]),
    ...(problem === null ? [] : [problem]),
    ...(isPassed(result) || found === null ? [] : [`it says: ${found.because.join(' ').slice(0, wordsMax)}`]),
  ]
  const seconds = `sealed ${secondsOf(sealedAfterMs)} after its end, ${secondsOf(tookMs)} in all`
  const mark = isPassed(result) ? 'ok  ' : 'FAIL'
  return [
    `${mark} ${where} ${kind.name}: ${verdict}; ${seconds}`,
    ...wrong.map((what) => `     ${what}`),
  ].join('\n')
}

export function summaryLines(summary: Summary): string[] {
  const { all, onlySaid, recorded, right, accepted, wrong, wronglyProven, latencyMs } = summary
  return [
    `kinds of death: ${all}; really caused: ${all - onlySaid}, only said by a program in the runner's place: ${onlySaid}`,
    `recorded, exactly once: ${recorded}`,
    `classed as what was really done: ${right}`,
    `classed as something else that is accepted: ${accepted}`,
    `classed wrong: ${wrong}, of these with confidence "proven": ${wronglyProven}`,
    latencyMs === null
      ? 'from the end to the seal: not measured'
      : `from the end to the seal: median ${secondsOf(latencyMs.p50)}, longest ${secondsOf(latencyMs.max)}`,
  ]
}

/** The page docs/deaths-matrix.md. */
export function matrixPage(results: readonly Result[], crowd: CrowdResult | null): string {
  const rows = results.map(({ kind, where, found, sealedAfterMs }) => [
    ...[where, kind.name, stagedWords[kind.staged ?? 'nothing'], kind.how],
    ...(found === null ? ['none', '', ''] : [classWords(kind, found.class), found.rule, found.confidence]),
    kind.isSeenLate ? 'late' : secondsOf(sealedAfterMs),
  ])
  const head = [
    'runner',
    'death',
    'how caused',
    'what is done',
    'class',
    'rule',
    'confidence',
    'sealed after',
  ]
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`)
  return `# Deaths that were really caused, and what was found

<!-- Written by \`npm run test:deaths -- --write\`; edit test/deaths, not this page. -->

Each row is a runner that really ended: as a pod of a real Kubernetes of three nodes, or as a process of the machine.
"How caused" says how much of its cause was real. *really*: what is named was done to it. *really; its words are not*:
it was done, and a program in the runner's place said what GitHub's runner or its launcher says then. *only said*:
nothing of it happened; such a program printed what GitHub's runner prints then, and ended with its code, since
the cause is not to be had here: it would take GitHub itself, or hurt the whole machine. No agent ran on the nodes, so that nothing here leans on what only it sees. "Sealed after" is from the end
as the kubelet says it, in whole seconds, to the record in the ledger; "late" where the end could not be seen at once,
by what was done. "Really" names the class of what was done where another was given and is accepted: either that is true
as well (Holdfast did stop it), or more evidence would be needed to distinguish the two: the agent's, where a job lies about
memory and is then killed, or a later event of the forge. The latter are never called proven. Classes and rules are explained in the [reference](reference/deaths.md).

${summaryLines(summarise(results))
  .map((line) => `- ${line}`)
  .join('\n')}

${lines.join('\n')}
${crowd === null ? '' : crowdPart(crowd)}`
}

const stagedWords = {
  nothing: 'really',
  'last-words': 'really; its words are not',
  words: 'only said',
} as const

function crowdPart(crowd: CrowdResult): string {
  return `
## Many at once

Runners of the same Holdfast as above, as pods of the same API server, on nodes that are only objects (KWOK): their pods
do not run, and the kubelet's last word about each, and its log of 60 KiB, are said for it. They die as fast as the
API server takes it: out of memory, killed, by a fault, with a full disk, evicted by the kubelet, done, deleted,
drained, in turn. How long it takes is from the API server's answer to the seal.

${crowdLines(crowd)
  .map((line) => `- ${line}`)
  .join('\n')}
`
}

function isAccepted({ kind, found }: Result): boolean {
  return found !== null && kind.classes.includes(found.class)
}

function isRight({ kind, found }: Result): boolean {
  return found !== null && found.class === kind.classes[0]
}

/** With the class of what was really done, where it is another. */
function classWords({ classes: [best] }: Result['kind'], found: string): string {
  return best === found ? `\`${found}\`` : `\`${found}\`; really \`${best}\``
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
