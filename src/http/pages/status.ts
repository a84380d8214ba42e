import { html } from 'hono/html'
import { type About, type ApiIncident, type ApiRunner, deathText, type JobSummary } from '../../api/index.ts'
import { isLive } from '../../domain/runner/index.ts'
import { deathSection } from './deaths.ts'
import { age, empty, jobLink, layout, type Markup, section, stateBadge, table } from './layout.ts'
import { countedMax, rowsMax, type StatusView } from './status-view.ts'

/** The status page: open incidents, waiting, running and ended jobs, deaths, and runners. */
export function statusPage(about: About, view: StatusView): Markup {
  const { at } = view
  const { totals } = view
  const liveShown = view.runners.filter(isLive).length
  return layout(
    `Holdfast: ${counted(totals.running)} running, ${counted(totals.waiting)} waiting`,
    about,
    at,
    html`${incidentPanel(view)}
${section(`Waiting (${counted(totals.waiting)})`, 'ledger', at, html`${waiting(view)}${more(totals.waiting - view.waiting.length, 'holdfast jobs')}`)}
${section(`Running (${counted(totals.running)})`, 'ledger', at, html`${running(view)}${more(totals.running - view.running.length, 'holdfast jobs --state running')}`)}
${section('Ended lately', 'ledger', at, ended(view))}
${deathSection(view.deaths)}
${section(`Runners (${totals.live} live)`, 'ledger', at, html`${runners(view)}${more(totals.live - liveShown, 'holdfast runners --limit 1000')}`)}
${unreadable(view)}`,
  )
}

function counted(total: number): string {
  return total < countedMax ? String(total) : `${countedMax} or more`
}

/** A note about rows that are not shown, and the command that shows them. */
function more(leftOut: number, command: string): Markup {
  if (leftOut <= 0) return html``
  return html`<p class="quiet">${leftOut} more, which this page does not list: <code>${command}</code></p>`
}

/** Empty where there is no incident. */
function incidentPanel({ incidents, at }: StatusView): Markup {
  if (incidents.length === 0) return html``
  const shown = incidents.slice(0, rowsMax)
  return section(
    `Incidents (${incidents.length} open)`,
    'ledger',
    at,
    table(
      ['concerns', 'what is wrong', 'what to do', 'since', 'seen'],
      shown.map(
        (row) => html`<tr><td>${row.key} <small>${row.scope}</small></td><td>${wrong(row)}</td>
<td>${row.todo}</td><td>${age(row.openedAt, at, 'ledger')}</td><td class="number">${row.timesSeen}</td></tr>`,
      ),
    ),
  )
}

function wrong({ title, reason, scope }: ApiIncident): Markup {
  const text = scope === 'runners' ? reason : `The forge says: ${reason}`
  return html`<strong class="bad">${title}</strong>${reason === '' ? '' : html` ${text}`}`
}

function reachText({ sentence, todo }: NonNullable<JobSummary['reach']>): Markup {
  return html`${sentence} <small>${todo}</small>`
}

function waiting({ waiting: jobs, at }: StatusView): Markup {
  if (jobs.length === 0) return empty('No job waits.')
  return table(
    ['job', 'repository', 'name', 'state', 'pool or reason', 'waits'],
    jobs.map(
      (job) => html`<tr>${identity(job)}<td>${stateBadge(job)}</td>
<td>${job.reach === null ? job.pool : reachText(job.reach)}</td>
<td>${age(job.waitingSince, at, job.waitingSinceSource)}</td></tr>`,
    ),
  )
}

function running({ running: jobs, at }: StatusView): Markup {
  if (jobs.length === 0) return empty('No job runs.')
  return table(
    ['job', 'repository', 'name', 'runner', 'runs'],
    jobs.map(
      (job) => html`<tr>${identity(job)}<td>${job.runner}</td>
<td>${age(job.forgeStartedAt, at, 'forge')}</td></tr>`,
    ),
  )
}

function ended({ ended: rows, at }: StatusView): Markup {
  if (rows.length === 0) return empty('Nothing has ended yet.')
  return table(
    ['job', 'repository', 'name', 'outcome', "runner's end", 'ended'],
    rows.map(
      ({ job, death }) => html`<tr>${identity(job)}<td>${stateBadge(job)}</td>
<td>${death === null ? html`<span class="quiet">–</span>` : html`<span title="${deathText(death)}">${death.class}</span>`}</td>
<td>${age(job.endedAt, at, job.forgeCompletedAt === null ? 'ledger' : 'forge')}</td></tr>`,
    ),
  )
}

function runners({ runners: rows, at }: StatusView): Markup {
  if (rows.length === 0) return empty('There is no runner.')
  return table(
    ['runner', 'pool', 'state', 'job', 'since'],
    rows.map(
      (runner) => html`<tr><td>${runner.name}</td><td>${runner.pool}</td>
<td><span class="badge ${runnerMood(runner)}">${runnerState(runner)}</span></td>
<td>${runner.jobId === null ? html`<span class="quiet">–</span>` : jobLink({ id: runner.jobId })}</td>
<td>${age(runner.endedAt ?? runner.fencedAt ?? runner.createdAt, at, 'ledger')}</td></tr>`,
    ),
  )
}

/** Empty where everything can be read. */
function unreadable({ unreadable: { jobs, runners: strange }, at }: StatusView): Markup {
  if (jobs.length + strange.length === 0) return html``
  return section(
    `Written by a newer version (${jobs.length + strange.length})`,
    'ledger',
    at,
    table(
      ['what', 'of', 'what cannot be read'],
      [
        ...jobs.map(
          ({ id, repository, name, why }) =>
            html`<tr><td>job ${id}</td><td>${repository} · ${name}</td><td>${why}</td></tr>`,
        ),
        ...strange.map(
          ({ name, pool, why }) =>
            html`<tr><td>runner ${name}</td><td>${pool}</td><td>${why} It counts as capacity, and is left alone.</td></tr>`,
        ),
      ],
    ),
  )
}

function identity(job: JobSummary): Markup {
  return html`<td class="number">${jobLink(job)}</td><td>${job.repository}</td><td>${job.name}</td>`
}

function runnerState(runner: ApiRunner): string {
  return runner.reason === null ? runner.state : `${runner.state}: ${runner.reason}`
}

function runnerMood(runner: ApiRunner): string {
  if (isLive(runner)) return runner.state === 'busy' || runner.state === 'claimed' ? 'active' : 'waiting'
  return runner.reason === 'clean' ? 'neutral' : 'bad'
}
