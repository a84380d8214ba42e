import { type ApiTriageCase, ageText, type TriageReport } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { attemptLines } from './attempts.ts'
import { findingLines, unjudgedLines } from './audit/index.ts'
import { caseTimelineLines, type TimelinePart } from './case-timeline.ts'
import { explanationText } from './explain/index.ts'
import { fitted } from './fitted.ts'

const answeredBy = {
  ledger: "Answered by Holdfast's own ledger.",
  log: 'Answered by this log alone: what a job runs can write anything into it.',
} as const

/** The answer of a triage for a person at a terminal. */
export function triageText(report: TriageReport, timeline: TimelinePart, context: Context): string {
  const { answeredBy: by, explanation, factsAt, at, cases } = report
  if (by !== 'snapshot' && explanation !== null)
    return [...fitted(answeredBy[by], '', 0, context.width), '', explanationText(explanation, context)].join(
      '\n',
    )
  const age = factsAt === null ? '' : `, ${ageText(factsAt, at)} old`
  return [
    ...fitted(`Answered by the facts of cluster and forge${age}.`, '', 0, context.width),
    ...cases.flatMap((each) => ['', ...caseLines(each, at, timeline, context)]),
  ].join('\n')
}

function caseLines(given: ApiTriageCase, at: string, timeline: TimelinePart, context: Context): string[] {
  const { colors, width } = context
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0
      ? []
      : ['', colors.bold(title), ...items.flatMap((item) => fitted(item, `  ${colors.dim('- ')}`, 4, width))]
  return [
    ...fitted(given.title, '', 2, width).map(colors.bold),
    ...fitted(given.state, '  ', 2, width),
    ...list('Verdict', verdictOf(given)),
    ...list('Asked of the guide', given.entries.map(questionText)),
    ...attemptPart(given, context),
    ...findingLines(given.findings, at, context),
    ...list('Ruled out', given.ruledOut),
    ...list('Not known', given.unknown),
    ...caseTimelineLines(given.timeline, timeline, context),
    ...list('What to do', given.nextSteps),
    ...unjudgedLines(given.unjudged, context),
  ]
}

function attemptPart({ attempts }: ApiTriageCase, context: Context): string[] {
  return attempts === null ? [] : ['', context.colors.bold('Attempts'), ...attemptLines(attempts, context)]
}

function verdictOf({ jobVerdict, findings, isReached }: ApiTriageCase): string[] {
  const ofJob = jobVerdict === null ? [] : [jobVerdict.sentence, ...jobVerdict.because]
  const ofFindings = findings.map(
    ({ class: name, confidence, summary }) => `${summary} (${name}, ${confidence})`,
  )
  if (isReached || ofJob.length > 0) return [...ofJob, ...ofFindings]
  return ['None: nothing that was read says what happened. What is missing stands below.']
}

/** A question of the guide, and the command that answers it in full. */
function questionText({ entry, question, audit }: ApiTriageCase['entries'][number]): string {
  const lead = `${entry}: ${question}`
  return audit === null ? lead : `${lead} (holdfast audit ${audit})`
}
