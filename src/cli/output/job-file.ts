import {
  type ApiAttempt,
  type ApiEvidence,
  type ApiJobFile,
  ageText,
  type DecisionGroup,
  deathText,
  decisionText,
  groupDecisions,
  moodOf,
  stateText,
  type WhyAnswer,
  withoutEchoes,
} from '../../api/index.ts'
import { ranOfLimit } from '../../domain/attempt/index.ts'
import type { Context } from '../context.ts'
import { paintMood } from './mood.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** Lines of a runner's log that are shown with its death; the whole tail stands in `--json`. */
const tailLines = 8

/** A job's file as text: state, timeline, attempts, decisions and evidence. */
export function jobFileText(file: ApiJobFile, why: WhyAnswer | null, context: Context): string {
  const { colors } = context
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', colors.bold(title), ...lines]
  return [
    ...head(file, why, context),
    ...part('Timeline', timeline(file, context)),
    ...part(
      'Attempts',
      file.attempts.flatMap((attempt) => attemptLines(attempt, file.at, context)),
    ),
    ...part(
      'Decisions',
      groupDecisions(file.decisions).flatMap((group) => decisionLines(group, context)),
    ),
    ...part(
      'Evidence',
      file.evidence.flatMap((row) => evidenceLines(row, context)),
    ),
  ].join('\n')
}

function head({ job, death, archived, at }: ApiJobFile, why: WhyAnswer | null, context: Context): string[] {
  const { colors } = context
  const state = paintMood(moodOf(job), colors)(stateText(job))
  const age =
    job.endedAt === null ? `seen ${ageText(job.seenAt, at)} ago` : `ended ${ageText(job.endedAt, at)} ago`
  const rows: [string, string | null][] = [
    ['forge', `${job.installation}:${job.forgeJobId}, run ${job.runId}, attempt ${job.runAttempt}`],
    ['labels', job.labels.join(', ')],
    ['pool', `${job.pool ?? 'none serves its labels'}, ${job.priority} priority`],
    ['runner', job.runner === null ? null : runnerText(job.runner, job.executor)],
    ['why', why === null || job.state !== 'queued' ? null : why.sentence],
    ['runs', why?.run?.limitMs ? `for ${ranOfLimit(why.run.ranMs, why.run.limitMs)}` : null],
    ['to do', job.reach?.todo ?? null],
    ['death', death === null ? null : deathText(death)],
  ]
  return [
    ...wrapped(
      printable(`${job.repository} · ${job.name}`),
      `${colors.bold(`Job ${job.id}`)}  `,
      10,
      context.width,
    ),
    `  ${state}, ${age}${archived ? ', archived' : ''}`,
    ...rows.flatMap(([name, text]) =>
      text === null ? [] : wrapped(printable(text), `  ${colors.dim(name.padEnd(8))}`, 10, context.width),
    ),
  ]
}

/** The runner's name, with its name at the forge where that differs. */
function runnerText(name: string, atForge: string | null): string {
  return atForge === null || atForge === name ? name : `${name} (${atForge} at the forge)`
}

function timeline(file: ApiJobFile, context: Context): string[] {
  return withoutEchoes(file.timeline).flatMap((row) => {
    const source = row.rule === null ? row.source : `${row.source}, ${row.rule}`
    const text = `${printable(row.sentence)} (${source})`
    return wrapped(text, `  ${context.colors.dim(clockTime(row.at))}  `, 16, context.width)
  })
}

function attemptLines(attempt: ApiAttempt, at: string, { colors, width }: Context): string[] {
  const took = ageText(attempt.claimedAt, attempt.endedAt ?? at)
  const end =
    attempt.endReason === null ? `${attempt.state} for ${took}` : `${attempt.endReason} after ${took}`
  const proof = attempt.evidenceId === null ? '' : `, evidence ${attempt.evidenceId}`
  const text = `${attempt.id} on ${printable(runnerText(attempt.runnerName, attempt.runner))}: ${end}${proof}`
  return wrapped(text, `  ${colors.dim(clockTime(attempt.claimedAt))}  `, 16, width)
}

function decisionLines({ first, count, lastAt, lines }: DecisionGroup, { colors, width }: Context): string[] {
  const times = count === 1 ? '' : ` (${count} times until ${clockTime(lastAt)})`
  const text = `${first.rule}: ${printable(decisionText(first))}${times}`
  const more = [...(first.why === null ? [] : [first.why]), ...lines]
  return [
    ...wrapped(text, `  ${colors.dim(clockTime(first.at))}  `, 16, width),
    ...more.flatMap((line) => wrapped(printable(line), `${' '.repeat(16)}${colors.dim('- ')}`, 18, width)),
  ]
}

function evidenceLines(row: ApiEvidence, { colors, width }: Context): string[] {
  const text = `${row.id} ${printable(row.sentence)}`
  return [
    ...wrapped(text, `  ${colors.dim(clockTime(row.sealedAt))}  `, 16, width),
    ...tailOf(row).map(
      (line) => `${' '.repeat(16)}${colors.dim('| ')}${printable(line).slice(0, width - 18)}`,
    ),
  ]
}

function tailOf({ record }: ApiEvidence): string[] {
  const ending = record.ending as { readonly tail?: unknown } | null | undefined
  const tail = typeof ending?.tail === 'string' ? ending.tail.trimEnd() : ''
  return tail === '' ? [] : tail.split('\n').slice(-tailLines)
}

/** To the millisecond: a whole dispatch happens within one second. */
function clockTime(time: string): string {
  return time.slice(11, 23)
}
