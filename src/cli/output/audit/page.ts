import { type ApiFinding, type ApiUnjudged, type AuditReport, ageText } from '../../../api/index.ts'
import { severities } from '../../../domain/audit/index.ts'
import type { Context } from '../../context.ts'
import { commandLines, fitted } from '../fitted.ts'
import { tableLines } from './table.ts'

/** Findings of one class that are shown whole; `--json` has all. */
const wholeMax = 3
/** Subjects that are named of the rest, and classes that one missing fact leaves open. */
const namedMax = 8
/** Evidence of one finding that is shown. */
const evidenceMax = 5

type Look = Pick<Context, 'colors' | 'width'>

/** A report for a person at a terminal: worst first, then what could not be judged. Tables where one audit was asked for. */
export function auditPage(report: AuditReport, look: Look): string {
  return [
    ...headLines(report, look),
    ...findingLines(report.findings, report.at, look),
    ...(report.audits.length === 1 ? report.tables.flatMap((table) => ['', ...tableLines(table, look)]) : []),
    ...unjudgedLines(report.unjudged, look),
    ...failureLines(report, look),
  ].join('\n')
}

/** The line that sums a report up. */
function summaryOf({ findings, outcome, audits }: AuditReport): string {
  if (outcome === 'findings') {
    const counts = severities
      .map((severity) => ({ severity, count: findings.filter((each) => each.severity === severity).length }))
      .filter(({ count }) => count > 0)
      .map(({ severity, count }) => `${count} ${severity}`)
    return `${plural(findings.length, 'finding')}: ${counts.join(', ')}.`
  }
  const looked = plural(audits.length, 'audit')
  return outcome === 'clean'
    ? `Nothing is wrong by ${looked}.`
    : `Nothing found by ${looked}, and not everything could be judged.`
}

function headLines(report: AuditReport, { colors, width }: Look): string[] {
  const { snapshot, at, outcome } = report
  const paint = { clean: colors.green, findings: colors.red, unjudged: colors.yellow }[outcome]
  const where = snapshot.cluster === null ? '' : ` of ${snapshot.cluster}`
  const age = ageText(snapshot.takenAt, at)
  return [
    ...fitted(summaryOf(report), '', 0, width).map(paint),
    ...fitted(`Facts${where} of ${age} ago, ${snapshot.takenAt}${scopeText(report)}.`, '', 0, width),
  ]
}

function scopeText({ scope }: AuditReport): string {
  const parts = [
    scope.labels === null ? null : `labels ${scope.labels.join(', ')}`,
    scope.namespaces === null ? null : `namespaces ${scope.namespaces.join(', ')}`,
    scope.nodes === null ? null : `nodes ${scope.nodes.join(', ')}`,
    scope.runner === null ? null : `runner ${scope.runner}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? '' : `; narrowed to ${parts.join(', ')}`
}

/** Findings, worst first: a paragraph for each class. */
export function findingLines(findings: readonly ApiFinding[], at: string, look: Look): string[] {
  return groupsOf(findings).flatMap((group) => ['', ...groupLines(group, at, look)])
}

/** Findings of one class and severity, in the order of the first of them. */
function groupsOf(findings: readonly ApiFinding[]): ApiFinding[][] {
  const groups = Map.groupBy(findings, (finding) => `${finding.severity} ${finding.class}`)
  return [...groups.values()]
}

function groupLines(group: readonly ApiFinding[], at: string, look: Look): string[] {
  const [first] = group
  if (first === undefined) return []
  const { colors, width } = look
  const paint = { critical: colors.red, warning: colors.yellow, notice: colors.cyan }[first.severity]
  const rest = group.slice(wholeMax).map(({ subject }) => subjectText(subject))
  const more = rest.length > namedMax ? `, and ${rest.length - namedMax} others` : ''
  return [
    ...fitted(`${first.class}: ${first.title}`, `${paint(first.severity)}  `, 2, width),
    ...group.slice(0, wholeMax).flatMap((finding) => subjectLines(finding, at, look)),
    ...(rest.length === 0
      ? []
      : fitted(
          `${rest.slice(0, namedMax).join(', ')}${more}; --json has all of it`,
          `  and ${rest.length} more: `,
          4,
          width,
        )),
    ...first.mustNotConclude.flatMap((text) => fitted(text, `  ${colors.bold('careful:')} `, 4, width)),
    ...(first.page === null ? [] : [`  ${colors.dim(first.page)}`]),
  ]
}

function subjectLines(finding: ApiFinding, at: string, { colors, width }: Look): string[] {
  const { subject, confidence, summary, evidence, nextAllowedAction } = finding
  const unshown = evidence.length - evidenceMax
  return [
    ...fitted(`${subjectText(subject)} (${confidence}): ${summary}`, '  ', 4, width),
    ...evidence
      .slice(0, evidenceMax)
      .flatMap((each) =>
        fitted(`${each.text} (${originText(each, at)})`, `    ${colors.dim('- ')}`, 6, width),
      ),
    ...(unshown > 0 ? [`    ${colors.dim('- ')}and ${unshown} more`] : []),
    ...fitted(nextAllowedAction.text, `    ${colors.bold(actionWords[nextAllowedAction.kind])} `, 6, width),
    ...(nextAllowedAction.command === null ? [] : commandLines(nextAllowedAction.command, 6, width)),
  ]
}

const actionWords = { read: 'next:', person: 'next, by a person:', change: 'next, a plan first:' } as const

function originText({ source, at }: ApiFinding['evidence'][number], now: string): string {
  return at === null ? source : `${source}, ${ageText(at, now)} ago`
}

/** `scale-set arc-runners/linux`. */
export function subjectText({ kind, namespace, name }: ApiFinding['subject']): string {
  const isPlain = namespace === null || kind === 'namespace'
  return `${kind} ${isPlain ? '' : `${namespace}/`}${name}`
}

/** One entry for all classes that the same missing fact keeps from being judged. */
export function unjudgedLines(unjudged: readonly ApiUnjudged[], { colors, width }: Look): string[] {
  const groups = [...Map.groupBy(unjudged, ({ why, needs }: ApiUnjudged) => `${why}\n${needs}`).values()]
  if (groups.length === 0) return []
  return [
    '',
    colors.bold('Could not be judged'),
    ...groups.flatMap((group) => {
      const names = namesText([...new Set(group.map((each) => each.class))])
      const needs = group[0]?.needs ?? null
      return [
        ...fitted(`${names}: ${group[0]?.why ?? ''}`, `  ${colors.dim('- ')}`, 4, width),
        ...(needs === null ? [] : fitted(needs, `    ${colors.bold('needs')} `, 6, width)),
      ]
    }),
    ...(unjudged.some(({ needs }) => isRight(needs)) ? fitted(rightsHint, '  ', 2, width) : []),
  ]
}

const rightsHint = 'All rights that audits need, and no others, are in deploy/audit-rbac.yaml.'

/** Whether it is a right in the cluster, such as `list pods`. */
function isRight(needs: string | null): boolean {
  return /^(?:list|get) /.test(needs ?? '')
}

function namesText(names: readonly string[]): string {
  const more = names.length - namedMax
  return more > 0 ? `${names.slice(0, namedMax).join(', ')} and ${more} more` : names.join(', ')
}

function failureLines({ failures }: AuditReport, { colors, width }: Look): string[] {
  return failures.flatMap(({ audit, why }) =>
    fitted(`the audit ${audit} failed: ${why}`, `${colors.red('a defect of Holdfast')} `, 2, width),
  )
}

function plural(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`
}
