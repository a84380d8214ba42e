import { html } from 'hono/html'
import { type ApiEnd, ageText, type DeathList } from '../../api/index.ts'
import { age, empty, jobLink, type Markup, section, table } from './layout.ts'

/** Runners that did not end as they should, each with a link to its explanation. */
export function deathSection(list: DeathList): Markup {
  const { at, since, deaths } = list
  const within = ageText(since, at)
  return section(
    `Deaths in ${within} (${deaths.length + list.leftOut})`,
    'ledger',
    at,
    deaths.length === 0 ? empty(`No runner died in ${within}. ${countsText(list)}`) : rows(list),
  )
}

function rows(list: DeathList): Markup {
  return html`<p class="note">${countsText(list)}</p>
${table(
  ['class', 'runner', 'node', 'pool', 'repository', 'job', 'ended'],
  list.deaths.map((end) => row(end, list.at)),
)}
${list.leftOut === 0 ? '' : html`<p class="quiet">${list.leftOut} more: holdfast deaths --limit</p>`}`
}

function row(end: ApiEnd, at: string): Markup {
  return html`<tr><td>${verdict(end)}</td>
<td>${explainLink(`runner/${end.runner}`, end.runner)}</td><td>${orNone(end.node)}</td><td>${end.pool}</td>
<td>${orNone(end.repository)}</td><td class="number">${end.jobId === null ? none : jobLink({ id: end.jobId })}</td>
<td>${age(end.at, at, 'host')}</td></tr>`
}

/** The true class first, then the class that was sealed wrongly. */
function verdict({ class: sealed, confidence, corrected }: ApiEnd): Markup {
  if (corrected === null) return html`<span class="badge bad" title="${confidence}">${sealed}</span>`
  return html`<span class="badge ${corrected.class === null ? 'active' : 'bad'}" title="corrected at ${corrected.at}">${corrected.class ?? 'alive'}</span> <span class="quiet">corrected: not ${sealed}</span>`
}

/** A link to the explanation of a runner, or of the runner of a job. */
export function explainLink(subject: string, words: string): Markup {
  return html`<a href="/explain/${encodeURIComponent(subject)}">${words}</a>`
}

const none = html`<span class="quiet">–</span>`

function orNone(text: string | null): Markup | string {
  return text ?? none
}

function countsText({ counts }: DeathList): string {
  if (counts.length === 0) return 'None ended at all.'
  return `${counts.map((row) => `${row.count} ${row.class}`).join(', ')}.`
}
