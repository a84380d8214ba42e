import { html } from 'hono/html'
import { type About, ageText, type Explanation } from '../../api/index.ts'
import { clockTime, empty, jobLink, layout, type Markup, section } from './layout.ts'

/** How a runner ended: verdict, evidence, what is ruled out and not known, the timeline, what was done, what to do. */
export function explainPage(about: About, explanation: Explanation): Markup {
  const { at, subject, standing, job, runner, pod } = explanation
  const part = (title: string, body: Markup) => section(title, 'ledger', at, body)
  const where = [
    runner === null ? null : `runner ${runner.name}${runner.pool === null ? '' : ` of pool ${runner.pool}`}`,
    pod === null ? null : `pod ${pod.namespace}/${pod.pod}${pod.node === null ? '' : ` on ${pod.node}`}`,
    job === null ? null : `${job.name} of ${job.repository}, ${job.state}`,
  ].filter((text) => text !== null)
  return layout(
    `${subject.title} · how it ended`,
    about,
    at,
    html`<h1>${subject.title}</h1>
<p>${standing} ${where.join(' · ')}${job?.id == null ? '' : html` · job ${jobLink({ id: job.id })}`}</p>
${part('Verdict', verdict(explanation))}
${part('Evidence', evidence(explanation))}
${part('Ruled out', list(explanation.ruledOut, 'Nothing is ruled out.'))}
${part('Not known', list(explanation.unknown, 'Nothing that was looked for is missing.'))}
${part('Timeline', timeline(explanation))}
${part('What Holdfast did', did(explanation))}
${part('What to do', list(explanation.nextSteps, 'Nothing.'))}
${explanation.tail === '' ? '' : part('Its last lines (what it ran wrote them: never proof)', html`<pre>${explanation.tail}</pre>`)}`,
  )
}

function verdict({ verdict: found, isReached, isChanged, sealed }: Explanation): Markup {
  if (found === null) return empty('None.')
  const badge = html`<span class="badge ${isReached ? 'active' : 'waiting'}">${found.class}, ${found.confidence}</span>`
  const before =
    isChanged && sealed !== null
      ? html`<p class="note">Sealed as ${sealed.class}, ${sealed.confidence}; judged anew with what came later.</p>`
      : ''
  return html`<p>${badge} ${found.sentence}</p>${list(found.because, 'Nothing says why.')}${before}`
}

function evidence({ evidence: rows, at }: Explanation): Markup {
  const words = rows.map(
    (row) => `${row.text} (${row.source}${row.at === null ? '' : `, ${ageText(row.at, at)} ago`})`,
  )
  return list(words, 'There is none.')
}

function timeline({ timeline: rows, leftOut }: Explanation): Markup {
  if (rows.length === 0) return empty('Nothing is known of it.')
  return html`${leftOut === 0 ? '' : html`<p class="quiet">${leftOut} older rows are left out.</p>`}
<ol class="timeline">${rows.map(
    (row) => html`<li><time datetime="${row.at}" title="${row.at}">${clockTime(row.at)}</time>
<span>${row.text} <small>${row.source}</small></span></li>`,
  )}</ol>`
}

function did({ did: rows }: Explanation): Markup {
  const words = rows.map(
    ({ at, rule, text, count }) =>
      `${clockTime(at)} ${rule}: ${text}${count === 1 ? '' : ` (${count} times)`}`,
  )
  return list(words, 'Nothing had to be done.')
}

function list(lines: readonly string[], none: string): Markup {
  if (lines.length === 0) return empty(none)
  return html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`
}
