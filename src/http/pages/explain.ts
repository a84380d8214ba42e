import { html } from 'hono/html'
import { type About, type ApiAttempts, ageText, type Explanation } from '../../api/index.ts'
import { clockTime, empty, jobLink, layout, type Markup, section } from './layout.ts'

/** How a runner ended: verdict, evidence, what is ruled out and not known, the timeline, what was done, what to do. */
export function explainPage(about: About, explanation: Explanation): Markup {
  const { at, subject, summary, job, runner, pod } = explanation
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
<p>${summary} ${where.join(' · ')}${job?.id == null ? '' : html` · job ${jobLink({ id: job.id })}`}</p>
${part('Verdict', verdict(explanation))}
${explanation.attempts === null ? '' : part('Attempts', attempts(explanation.attempts))}
${part('Evidence', evidence(explanation))}
${part('Ruled out', list(explanation.ruledOut, 'Nothing is ruled out.'))}
${part('Not known', list(explanation.unknown, 'Nothing that was looked for is missing.'))}
${part('Timeline', timeline(explanation))}
${part('What Holdfast did', actionsTaken(explanation))}
${part('What to do', list(explanation.nextSteps, 'Nothing.'))}
${explanation.tail === '' ? '' : part('Its last lines (what it ran wrote them: never proof)', html`<pre>${explanation.tail}</pre>`)}`,
  )
}

function verdict({ verdict: found, jobVerdict, isReached, isChanged, sealed }: Explanation): Markup {
  const verdicts = [jobVerdict, found].filter((each) => each !== null)
  if (verdicts.length === 0) return empty('None.')
  const badge = (of: string) => html`<span class="badge ${isReached ? 'active' : 'waiting'}">${of}</span>`
  const before =
    isChanged && sealed !== null
      ? html`<p class="note">Sealed as ${sealed.class}, ${sealed.confidence}; judged again with later evidence.</p>`
      : ''
  return html`${verdicts.map(
    (each) =>
      html`<p>${badge(`${each.class}, ${each.confidence}`)} ${each.sentence}</p>${list(each.because, 'Nothing says why.')}`,
  )}${before}`
}

function attempts({ attempts: rows, sentence, mustNotConclude }: ApiAttempts): Markup {
  const words = rows.map(({ number, commit, runner, node, status, conclusion, step, verdict }) =>
    [
      `Attempt ${number}: ${conclusion ?? status.replaceAll('_', ' ')}`,
      `commit ${commit ?? 'not known'}`,
      runner === null ? null : `on ${runner}${node === null ? '' : `, node ${node}`}`,
      step === null ? null : `step "${step}"`,
      verdict === null ? null : `${verdict.class}, ${verdict.confidence}`,
    ]
      .filter((text) => text !== null)
      .join(' · '),
  )
  return html`${list(words, 'There is none.')}<p>${sentence}</p>${
    mustNotConclude.length === 0 ? '' : list(mustNotConclude, '')
  }`
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

function actionsTaken({ actionsTaken: rows }: Explanation): Markup {
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
