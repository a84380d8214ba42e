import { type IncidentEntry, incidentTable } from '../../src/domain/incident/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/incidents.md */
export function incidentsPage(): string {
  const entries = Object.entries(incidentTable) as [string, IncidentEntry][]
  const rows = entries.map(([kind, { title, todo, isLiftedByMint }]) => [
    `\`${kind}\``,
    title,
    todo,
    isLiftedByMint ? 'the next runner that the forge gives' : 'the next audit that finds it gone',
  ])
  return page('Incidents', intro, table(['incident', 'what is wrong', 'what to do', 'over with'], rows))
}

const intro = `What only a person can put right. Holdfast opens an incident once, however often the forge refuses; it keeps the
forge's own words, holds back the jobs of that repository or account without blaming them, and tries again slowly. When
it is over, the jobs go on by themselves. Meanwhile they are shown as \`unreachable\`, not as queued:
\`holdfast jobs --unreachable\`.

\`holdfast incidents\` lists what is open, with \`--all\` also what is over; so do the status page and
\`GET /v1/incidents\`. \`GET /v1/about\` counts them as \`openIncidents\`.`
