import { type ApiIncident, ageText, type IncidentList } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** Incidents one below the other: subject, problem, the source of the reason, what to do. */
export function incidentListText({ incidents, at }: IncidentList, context: Context): string {
  return incidents.map((incident) => incidentLines(incident, at, context).join('\n')).join('\n\n')
}

function incidentLines(incident: ApiIncident, at: string, { colors, width }: Context): string[] {
  const isOpen = incident.closedAt === null
  const paint = isOpen ? colors.red : colors.dim
  const rows: [string, string][] = [
    ['what', incident.title],
    [reasonName(incident), incident.reason],
    ['since', sinceText(incident, at)],
    ...(isOpen ? actsOf(incident) : []),
  ]
  const head = printable(`${incident.key} (${incident.scope} of ${incident.installation})`)
  return [
    ...wrapped(head, `${paint(isOpen ? incident.kind : `${incident.kind}, over`)}  `, 2, width),
    ...rows.flatMap(([name, text]) =>
      text === '' ? [] : wrapped(printable(text), `  ${colors.dim(name.padEnd(6))}`, 8, width),
    ),
  ]
}

/** The source of the reason. */
function reasonName({ kind, scope }: ApiIncident): string {
  if (kind.startsWith('deaths-')) return 'ends'
  return scope === 'runners' ? 'why' : 'forge'
}

function actsOf({ id, todo, kind }: ApiIncident): [string, string][] {
  const isOfEnds = kind.startsWith('deaths-')
  const wait = isOfEnds ? 'it is over when no more such ends come' : 'it is tried again by itself'
  const orWait = kind === 'remedy-escalated' ? '' : `, or wait: ${wait}`
  return [
    ['to do', todo],
    ['then', `holdfast incidents retry ${id}${orWait}`],
  ]
}

function sinceText({ openedAt, lastSeenAt, timesSeen, closedAt }: ApiIncident, at: string): string {
  const times = timesSeen === 1 ? 'seen once' : `seen ${timesSeen} times, last ${ageText(lastSeenAt, at)} ago`
  if (closedAt !== null)
    return `over for ${ageText(closedAt, at)}, lasted ${ageText(openedAt, closedAt)}, ${times}`
  return `${ageText(openedAt, at)}, ${times}`
}
