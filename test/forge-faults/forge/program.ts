import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallCount, ForgeNumbers } from './numbers.ts'

/*
 * The simulated forge as it is, in a process of its own that counts at its own door which calls came in and how
 * it answered them. It is asked for its numbers by IPC.
 */
interface Finished {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

const counts = new Map<string, CallCount>()

/** Calls of the API alone: not of runners, nor of the test in the role of people. */
const isCounted = (url = '') => !/^\/_(runner|sim|logs)\b/.test(url)

channel('http.server.request.start').subscribe((message) => {
  const { request } = message as Finished
  if (isCounted(request.url)) countOf(request).begun += 1
})
channel('http.server.response.finish').subscribe((message) => {
  const { request, response } = message as Finished
  if (!isCounted(request.url)) return
  const count = countOf(request)
  const status = String(response.statusCode)
  count.answered[status] = (count.answered[status] ?? 0) + 1
})
process.on('message', () => {
  process.send?.({ calls: Object.fromEntries(counts) } satisfies ForgeNumbers)
})
process.channel?.unref()

await import('../../../sim/forge/main.ts')

/** Under its pattern, so that twenty repositories are one line. */
function countOf({ method = '', url = '' }: IncomingMessage): CallCount {
  const [path = ''] = url.split('?')
  const pattern = path
    .replace(/^\/api\/v3/, '')
    .replace(/^\/repos\/[^/]+\/[^/]+/, '/repos/:repository')
    .replace(/^\/orgs\/[^/]+/, '/orgs/:organisation')
    .replace(/\/\d+(?=\/|$)/g, '/:id')
  const key = `${method} ${pattern}`
  const known = counts.get(key)
  if (known !== undefined) return known
  const fresh: CallCount = { begun: 0, answered: {} }
  counts.set(key, fresh)
  return fresh
}
