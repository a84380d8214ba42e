import { createGitea } from '../../../src/adapters/gitea/index.ts'
import type { ForgeJobOrder, ForgeUnderTest } from '../../contract/forge/index.ts'
import { clock, recordedLog } from '../../support/machine.ts'
import type { GiteaJob, People } from '../people.ts'

const installation = 'gitea'
const repositories = ['acme/shop', 'acme/site']

/** A running Gitea without history: its repositories are created again. */
export async function giteaUnderTest(url: string, people: People): Promise<ForgeUnderTest> {
  for (const repository of repositories) {
    await people.removeRepository(repository).catch(() => {})
    await people.createRepository(repository)
  }
  let files = 0
  const push = async (repository: string, jobs: readonly ForgeJobOrder[]): Promise<readonly GiteaJob[]> => {
    files += 1
    const file = `w${files}.yml`
    const found = await people.push(repository, file, workflowOf(file, jobs))
    return jobs.map(({ name }) => found.find((job) => job.name === name) as GiteaJob)
  }
  return {
    forge: createGitea({
      url,
      token: () => people.token,
      installation,
      scope: 'repository',
      clock,
      webhookSecrets: () => [],
      endedBefore: async () => false,
      log: recordedLog(),
    }).forge,
    installation,
    async submit(order) {
      const [job] = await push(order.repository, [order])
      return (job as GiteaJob).id
    },
    async submitMany(orders) {
      const jobs = await push(orders[0]?.repository ?? '', orders)
      return jobs.map(({ id }) => id)
    },
    async cancel(id) {
      const { repository, job } = await find(people, (each) => each.id === id)
      await people.cancelRun(repository, job.run_id)
    },
    async connect(jit) {
      const runner = JSON.parse(Buffer.from(jit, 'base64').toString('utf8')) as Runner
      const declared = await ask(runner, 'Declare', { version: 'test', labels: runner.labels })
      if (declared === null) return null
      return {
        async take() {
          const task = (await ask(runner, 'FetchTask', { tasksVersion: '0' }))?.task
          if (task === undefined) return null
          const mine = (job: GiteaJob) => job.status === 'in_progress' && job.runner_id === runner.id
          const { job } = await find(people, mine)
          tasks.set(job.id, { runner, taskId: task.id })
          return job.id
        },
        async finish(id, conclusion) {
          const { taskId } = tasks.get(id) as { taskId: string }
          const result = conclusion === 'success' ? 'RESULT_SUCCESS' : 'RESULT_FAILURE'
          const rows = [{ time: new Date(), content: 'done' }]
          await ask(runner, 'UpdateLog', { taskId, index: '0', rows, noMore: true })
          await ask(runner, 'UpdateTask', { state: { id: taskId, result, stoppedAt: new Date() } })
        },
      }
    },
    async [Symbol.asyncDispose]() {},
  }
}

interface Runner {
  readonly id: number
  readonly uuid: string
  readonly token: string
  readonly address: string
  readonly labels: readonly string[]
}

const tasks = new Map<number, { readonly runner: Runner; readonly taskId: string }>()

function workflowOf(file: string, jobs: readonly ForgeJobOrder[]): string {
  const all = jobs.map(({ name, labels }, n) => [
    `j${n}`,
    { name, 'runs-on': labels, steps: [{ run: 'true' }] },
  ])
  const on = { push: { paths: [`.gitea/workflows/${file}`] } }
  return JSON.stringify({ on, jobs: Object.fromEntries(all) })
}

/** Null: Gitea does not know the runner. */
async function ask(
  runner: Runner,
  procedure: string,
  message: unknown,
): Promise<{ readonly task?: { readonly id: string } } | null> {
  const answer = await fetch(`${runner.address}/api/actions/runner.v1.RunnerService/${procedure}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-runner-uuid': runner.uuid,
      'x-runner-token': runner.token,
    },
    body: JSON.stringify(message),
  })
  const body = (await answer.json()) as { message?: string }
  if (answer.ok) return body as object
  if (/unregistered runner/.test(body.message ?? '')) return null
  if (/runner has been removed/.test(body.message ?? '')) return null
  throw new Error(`${procedure}: ${answer.status} ${body.message}`)
}

async function find(people: People, is: (job: GiteaJob) => boolean) {
  for (const repository of repositories) {
    const job = (await people.jobs(repository)).find(is)
    if (job !== undefined) return { repository, job }
  }
  throw new Error('Gitea has no such job')
}
