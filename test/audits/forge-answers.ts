import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type ArcState, jobStatuses, timeOf } from '../support/arc-states.ts'

/** The organisation for which ARC's states were written. */
const organisation = 'bench'
const repository = `${organisation}/demo`

/** GitHub's lists of runners and jobs, as `gh api` prints them. */
export interface ForgeAnswers {
  readonly runners: object[]
  readonly jobs: object[]
}

/** Adds what GitHub knew of a set with this label. Numbers are of this list: states count theirs from the same one. */
export function addForge({ runners, jobs }: ForgeAnswers, { forge }: ArcState, label: string): void {
  for (const { name, online, busy } of forge.runners) {
    const status = online ? 'online' : 'offline'
    runners.push({ id: runners.length + 1, name, status, busy, labels: [{ name: label }] })
  }
  for (const { state, runner, queued, started, done } of forge.jobs) {
    const id = jobs.length + 1
    jobs.push({
      id,
      run_id: id,
      name: `build-${id}`,
      labels: [label],
      status: jobStatuses[state],
      conclusion: state === 'completed' ? 'cancelled' : null,
      runner_name: runner,
      url: `https://api.github.com/repos/${repository}/actions/jobs/${id}`,
      created_at: timeText(queued),
      started_at: timeText(started),
      completed_at: timeText(done),
    })
  }
}

function timeText(text: string): string | null {
  return timeOf(text) === null ? null : text
}

/** Writes the lists; gives the options with which the program reads them. */
export async function writeForge(
  { runners, jobs }: ForgeAnswers,
  folder: string,
): Promise<readonly string[]> {
  const [runnersFile, jobsFile] = ['runners.json', 'jobs.json'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ]
  await writeFile(runnersFile, JSON.stringify({ total_count: runners.length, runners }))
  await writeFile(jobsFile, JSON.stringify({ total_count: jobs.length, jobs }))
  return ['--github-runners-json', `${organisation}=${runnersFile}`, '--github-jobs-json', jobsFile]
}
