import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

const fixture = new URL('../../../test/contract/github/fixtures/webhooks.json', import.meta.url)
/** A job of a real workflow has some twenty steps; with them its message has about 15 KB. */
const bodyBytes = 15_000

interface Example {
  readonly action: string
  readonly workflow_job: Readonly<Record<string, unknown>>
  readonly repository: Readonly<Record<string, unknown>>
}

/** Requests as GitHub sends them, ready to be written on a connection: `first` numbers their jobs. */
export function signedRequests(count: number, first: number, secret: string, host: string): Buffer[] {
  const examples = (
    JSON.parse(readFileSync(fixture, 'utf8')) as { examples: { workflow_job: Example[] } }
  ).examples.workflow_job.filter(({ action }) => action === 'queued' || action === 'completed')
  return Array.from({ length: count }, (_, n) => {
    const example = examples[n % examples.length] as Example
    return requestOf(bodyOf(example, first + n), secret, host)
  })
}

/** Published examples with a number, labels and steps of our own. */
function bodyOf(example: Example, id: number): Buffer {
  const job = { ...example.workflow_job, id, run_id: id, status: example.action, labels: ['self-hosted'] }
  const bare = JSON.stringify({ ...example, workflow_job: { ...job, steps: [] } }).length
  const steps = []
  for (let length = bare, number = 1; length < bodyBytes; number += 1) {
    const step = stepOf(number)
    length += JSON.stringify(step).length + 1
    steps.push(step)
  }
  return Buffer.from(JSON.stringify({ ...example, workflow_job: { ...job, steps } }))
}

function stepOf(number: number) {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, number % 60, second)).toISOString()
  return {
    name: `Run step ${number} of the workflow`,
    status: 'completed',
    conclusion: 'success',
    number,
    started_at: at(1),
    completed_at: at(7),
  }
}

function requestOf(body: Buffer, secret: string, host: string): Buffer {
  const head = [
    'POST /webhooks/forge HTTP/1.1',
    `host: ${host}`,
    'user-agent: GitHub-Hookshot/044aadd',
    'content-type: application/json',
    'accept: */*',
    `content-length: ${body.length}`,
    `x-github-delivery: ${randomUUID()}`,
    'x-github-event: workflow_job',
    'x-github-hook-id: 1',
    `x-hub-signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}
