import type { WorkdirReport, WorkdirTriage } from '../../api/index.ts'
import { counted } from '../../domain/format.ts'
import type { Context } from '../context.ts'
import { findingLines, unjudgedLines } from './audit/index.ts'
import { fitted } from './fitted.ts'
import { tableText } from './table.ts'

type Look = Pick<Context, 'colors' | 'width'>
type Host = WorkdirReport['hosts'][number]

/** The audit of work folders for a person at a terminal. */
export function workdirPage(report: WorkdirReport, look: Look): string {
  const { hosts, findings, unjudged, outcome, at } = report
  const paint = { clean: look.colors.green, findings: look.colors.red, unjudged: look.colors.yellow }[outcome]
  const summary = {
    clean: `Nothing is wrong on ${counted(hosts.length, 'host')}.`,
    findings: `${counted(findings.length, 'finding')} on ${counted(hosts.length, 'host')}.`,
    unjudged: `Nothing found on ${counted(hosts.length, 'host')}, and not everything could be judged.`,
  }[outcome]
  return [
    paint(summary),
    '',
    hostTable(hosts, look),
    ...findingLines(findings, at, look),
    ...unjudgedLines(unjudged, look),
  ].join('\n')
}

function hostTable(hosts: readonly Host[], look: Look): string {
  const columns = [
    { head: 'HOST', text: ({ name }: Host) => name, isFlexible: true },
    { head: 'VERDICT', text: ({ verdict }: Host) => verdict },
    { head: 'NOT IN ORDER', text: foldersText, isFlexible: true },
    { head: 'PROCESSES', text: processesText },
    {
      head: 'WORK FOLDER',
      text: ({ place, workFolder }: Host) => `${place}:${workFolder}`,
      isFlexible: true,
    },
  ]
  return tableText(columns, hosts, look)
}

function foldersText({ folders, verdict }: Host): string {
  if (verdict === 'in-use' || verdict === 'unknown') return ''
  return folders
    .filter((folder) => folder.verdict !== 'healthy')
    .map((folder) => folder.name)
    .join(', ')
}

function processesText({ processes }: Host): string {
  const roles = new Set(processes.map(({ role }) => role))
  return [...roles].sort().join(', ')
}

/** The answer of a triage: the line, where it leads, and the verdict. */
export function workdirTriageText(answer: WorkdirTriage, look: Look): string {
  const { colors, width } = look
  const row = (name: string, value: string): string[] =>
    fitted(value, `${colors.dim(name.padEnd(8))} `, 9, width)
  return [
    ...fitted(verdictText(answer), '', 0, width).map(colors.bold),
    '',
    ...row('line', answer.line?.text ?? 'none'),
    ...row('runner', answer.runner ?? 'not named'),
    ...row('host', answer.host ?? 'unknown'),
    ...row('folder', answer.folder ?? 'unknown'),
    ...answer.unknown.flatMap(({ why, needs }) => [
      ...row('unknown', why),
      ...(needs === null ? [] : row('needs', needs)),
    ]),
    ...(answer.audit === null ? [] : ['', workdirPage(answer.audit, look)]),
  ].join('\n')
}

function verdictText({ verdict, host, folder, line, audit }: WorkdirTriage): string {
  const where = `The folder ${folder} on ${host}`
  switch (verdict) {
    case 'contaminated':
      return `${where} has directories that the runner cannot empty: its operators must, and no change in the repository helps.`
    case 'stale-lock':
      return `${where} has a lock of git that nobody holds.`
    case 'healthy':
    case 'drift':
      return `${where} is in order now, as far as the runner's work goes: what the log says is over, or was elsewhere.`
    case 'in-use':
      return `${where} may be in use: a Worker is at work, and nothing there is judged or touched.`
    case 'unknown':
      return `${where} could not be judged.`
    default:
      if (line === null) return 'No verdict: no line of the log leads to a work folder.'
      if (host === null) return 'No verdict: the line of the log leads to no declared host.'
      return audit === null
        ? `${where} made it fail, by the log alone: the host was not looked at.`
        : `${where} was not found.`
  }
}
