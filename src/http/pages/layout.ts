import { html } from 'hono/html'
import { type About, ageText, type JobSummary, moodOf, stateText } from '../../api/index.ts'

/** Text or markup whose values were escaped by `html`. */
export type Markup = ReturnType<typeof html>

const refreshSeconds = 5

/** Content security policy: nothing from other origins, nothing inline, no frame, no form. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A whole page around its main part. Styles and script are files of ours: the policy allows nothing else. */
export function layout(title: string, about: About, at: string, main: Markup): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/status.css">
<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>
<script src="/assets/status.js" defer></script>
</head>
<body>
<header>
<a class="name" href="/">Holdfast</a>
<p>${about.version} · ${about.forge.kind} forge at ${about.forge.url} · up for ${ageText(about.startedAt, at)}</p>
</header>
${about.notIsolated === undefined ? '' : html`<p role="note">${about.notIsolated}</p>`}
<p id="stale" role="status" hidden></p>
<main id="main" data-refresh-seconds="${refreshSeconds}">
${main}
</main>
</body>
</html>
`
}

/** A part of a page: its heading, where its rows come from and how old they are, then the rows. */
export function section(title: string, source: string, at: string, body: Markup): Markup {
  return html`<section>
<h2>${title} <small>${source}, read at ${clockTime(at)}</small></h2>
${body}
</section>`
}

export function table(heads: readonly string[], rows: readonly Markup[]): Markup {
  return html`<div class="wide"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`
}

export function empty(words: string): Markup {
  return html`<p class="empty">${words}</p>`
}

export function jobLink(job: Pick<JobSummary, 'id'>): Markup {
  return html`<a href="/jobs/${job.id}">${job.id}</a>`
}

export function stateBadge(job: JobSummary): Markup {
  return html`<span class="badge ${moodOf(job)}">${stateText(job)}</span>`
}

/** An age, with the time itself and its source. */
export function age(time: string | null, at: string, source: string): Markup {
  if (time === null) return html`<span class="quiet">not yet</span>`
  return html`<time datetime="${time}" title="${time}">${ageText(time, at)}</time> <small>${source}</small>`
}

export function clockTime(time: string): string {
  return `${time.slice(11, 19)} UTC`
}
