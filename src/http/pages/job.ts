import { html } from 'hono/html'
import {
  type About,
  type ApiAttempt,
  type ApiJobFile,
  ageText,
  type DecisionGroup,
  deathText,
  decisionText,
  groupDecisions,
  type WhyAnswer,
  withoutEchoes,
} from '../../api/index.ts'
import { explainLink } from './deaths.ts'
import { clockTime, empty, layout, type Markup, section, stateBadge, table } from './layout.ts'

/** The page of one job: state, timeline in words, attempts, decisions and evidence. */
export function jobPage(about: About, file: ApiJobFile, why: WhyAnswer | null): Markup {
  const { job, at } = file
  const source = file.archived ? 'archive' : 'ledger'
  return layout(
    `Job ${job.id} · ${job.repository} · ${job.name}`,
    about,
    at,
    html`<h1>Job ${job.id} ${stateBadge(job)}</h1>
<p>${job.name} of ${job.repository} · forge job ${job.forgeJobId} of ${job.installation} ·
labels ${job.labels.join(', ')} · ${job.pool === null ? 'no pool' : `pool ${job.pool}`} · ${job.priority} priority</p>
${why === null || job.state !== 'queued' ? '' : html`<p class="note">Why it waits: ${why.sentence} ${job.reach?.todo ?? ''}</p>`}
${file.death === null ? '' : html`<p class="note">How it ended: ${deathText(file.death)} ${explainLink(`${job.installation}:${job.forgeJobId}`, 'Explain')}</p>`}
${section('Timeline', source, at, timeline(file))}
${section('Attempts', source, at, attempts(file))}
${section('Decisions', source, at, decisions(file))}
${section('Evidence', source, at, evidence(file))}`,
  )
}

function timeline(file: ApiJobFile): Markup {
  if (file.timeline.length === 0) return empty('Nothing happened yet.')
  return html`<ol class="timeline">${withoutEchoes(file.timeline).map(
    (row) => html`<li><time datetime="${row.at}" title="${row.at}">${clockTime(row.at)}</time>
<span>${row.sentence} <small>${row.source}${row.rule === null ? '' : `, rule ${row.rule}`}</small></span></li>`,
  )}</ol>`
}

function attempts(file: ApiJobFile): Markup {
  if (file.attempts.length === 0) return empty('No runner was ever given this job.')
  return table(
    ['attempt', 'runner', 'state', 'claimed', 'took', 'proof'],
    file.attempts.map(
      (
        attempt,
      ) => html`<tr><td class="number">${attempt.id}</td><td title="${attempt.runner}">${attempt.runnerName}</td>
<td>${attempt.endReason ?? attempt.state}</td>
<td><time datetime="${attempt.claimedAt}" title="${attempt.claimedAt}">${clockTime(attempt.claimedAt)}</time></td>
<td>${ageText(attempt.claimedAt, attempt.endedAt ?? file.at)}</td>
<td>${proof(attempt)}</td></tr>`,
    ),
  )
}

function proof(attempt: ApiAttempt): string {
  if (attempt.evidenceId !== null) return `evidence ${attempt.evidenceId}`
  return attempt.deliveredAt === null ? 'none needed: nothing was delivered' : 'none yet'
}

function decisions(file: ApiJobFile): Markup {
  if (file.decisions.length === 0) return empty('Nothing had to be decided.')
  return html`${groupDecisions(file.decisions).map(decision)}`
}

function decision({ first, count, lastAt, lines }: DecisionGroup): Markup {
  const times = count === 1 ? '' : `(${count} times until ${clockTime(lastAt)})`
  return html`<details><summary><time datetime="${first.at}">${clockTime(first.at)}</time>
<strong>${first.rule}</strong> ${decisionText(first)} ${times}</summary>
${first.why === null ? '' : html`<p>${first.why}</p>`}
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></details>`
}

function evidence(file: ApiJobFile): Markup {
  if (file.evidence.length === 0) return empty('Nothing is sealed yet.')
  return html`${file.evidence.map(
    (row) => html`<details><summary><time datetime="${row.sealedAt}">${clockTime(row.sealedAt)}</time>
<strong>${row.id}</strong> ${row.sentence}</summary><pre>${JSON.stringify(row.record, null, 2)}</pre></details>`,
  )}`
}
