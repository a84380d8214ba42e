import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LogRow, StepState } from '../service.ts'

interface State {
  readonly result?: string
  readonly steps: readonly StepState[]
}

/** Gitea's service for runners with one runner and one task, as far as a runner sees it. */
export interface FakeGitea extends AsyncDisposable {
  /** The content of `--jitconfig-file`. */
  readonly credentials: string
  readonly log: LogRow[]
  readonly states: State[]
  isLogWhole: boolean
  /** How the next calls of a procedure fail: `lost` takes effect, and its answer never comes. */
  readonly faults: Record<string, ('refused' | 'lost')[]>
  /** Ends the task from outside, as a person who cancels does. */
  cancel(): void
  /** Resolves when this holds after a call. */
  until(is: () => boolean): Promise<void>
}

export async function fakeGitea(jobs: object, more: object = {}): Promise<FakeGitea> {
  const uuid = 'u-1'
  let isTaken = false
  let isGone = false
  const watchers = new Set<() => void>()
  const calls: Record<string, (message: never) => object> = {
    Declare: () => ({ runner: { uuid } }),
    FetchTask() {
      if (isTaken) return { tasksVersion: '1' }
      isTaken = true
      const workflowPayload = Buffer.from(JSON.stringify({ on: 'push', jobs })).toString('base64')
      return { tasksVersion: '1', task: { id: '1', workflowPayload, context: {}, ...more } }
    },
    UpdateLog({ index, rows, noMore }: { index: string; rows: LogRow[]; noMore: boolean }) {
      const from = Number(index)
      if (rows.length > 0 && from <= fake.log.length && from + rows.length > fake.log.length) {
        fake.log.push(...rows.slice(fake.log.length - from))
        if (noMore) fake.isLogWhole = true
      }
      return { ackIndex: String(fake.log.length) }
    },
    UpdateTask({ state }: { state: State }) {
      fake.states.push(state)
      if (state.result !== undefined) isGone = true
      return { state: { id: '1', ...(state.result && { result: state.result }) } }
    },
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const procedure = request.url?.split('/').at(-1) ?? ''
    const isKnown = request.headers['x-runner-uuid'] === uuid && !isGone
    const fault = fake.faults[procedure]?.shift()
    const answer = isKnown && fault !== 'refused' ? calls[procedure]?.(JSON.parse(body) as never) : undefined
    for (const watch of [...watchers]) watch()
    const message = 'rpc error: code = Unauthenticated desc = unregistered runner'
    if (fault === 'lost') response.destroy()
    else if (fault === 'refused') response.writeHead(503).end('{}')
    else if (answer === undefined) response.writeHead(500).end(JSON.stringify({ code: 'unknown', message }))
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const runner = { id: 1, uuid, token: 't', name: 'r-1', address, labels: ['linux'], ephemeral: true }
  const fake: FakeGitea = {
    credentials: Buffer.from(JSON.stringify(runner)).toString('base64'),
    log: [],
    states: [],
    isLogWhole: false,
    faults: {},
    cancel() {
      isGone = true
    },
    until: (is) =>
      new Promise((resolve) => {
        const watch = (): void => {
          if (!is()) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}
