import { deathIncidents, type IncidentEntry, incidentTable } from '../../src/domain/incident/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/incidents.md */
export function incidentsPage(): string {
  const entries = Object.entries(incidentTable) as [string, IncidentEntry][]
  const rows = entries.map(([kind, entry]) => [`\`${kind}\``, entry.title, entry.todo, overWith(kind, entry)])
  return page('Incidents', intro, table(['incident', 'what is wrong', 'what to do', 'over with'], rows))
}

function overWith(kind: string, { isLiftedByMint }: IncidentEntry): string {
  if ((Object.values(deathIncidents) as string[]).includes(kind)) return 'two hours without another such end'
  return isLiftedByMint ? 'the next runner that the forge gives' : 'the next resync that finds it gone'
}

const intro = `What only a person can put right. Holdfast opens an incident once, however often the forge refuses; it keeps the
forge's own words, holds back the jobs of that repository or account without blaming them, and tries again slowly. When
it is over, the jobs go on by themselves. Meanwhile they are shown as \`unreachable\`, not as queued:
\`holdfast jobs --unreachable\`.

What the ends of many runners have in common is an incident too (\`deaths-…\`): a class on one node, image, repository or
pool, or at one time, that is far more than chance. It holds no job back, and opens again only for ends that came after
it was closed. \`holdfast deaths\` shows it with the ends that it is about.

\`holdfast incidents\` lists what is open, with \`--all\` also what is over; so do the status page and
\`GET /v1/incidents\`. \`GET /v1/about\` counts them as \`openIncidents\`.`
