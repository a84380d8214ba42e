import { createRestJudge } from './description.ts'

interface Watched {
  /** As GitHub describes it; null: it does not. */
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly userAgent: string
  readonly problems: readonly string[]
}

/** The user agent of the adapter. */
export const adapter = 'holdfast'

export interface Watch extends Disposable {
  readonly calls: readonly Watched[]
  /** Every difference from GitHub's description in what was called since the last time. */
  takeDifferences(): string[]
}

/**
 * Stands between every caller in this process and the forge at `base`, and judges each exchange by GitHub's
 * description. What is the simulator's own (`/_sim`, `/_runner`, `/_logs`) passes unseen.
 */
export function watchCalls(base: () => string): Watch {
  const judge = createRestJudge()
  const calls: Watched[] = []
  let judgedCount = 0
  const original = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const sent = request.body === null ? '' : await request.clone().text()
    const response = await original(request)
    // Where a redirect was followed, the answer is that of another address.
    const url = new URL(response.url)
    // Where a GitHub Enterprise Server has the same paths.
    url.pathname = url.pathname.replace(/^\/api\/v3(?=\/)/, '')
    if (url.origin !== base() || /^\/_(sim|runner|logs)\//.test(url.pathname)) return response
    const text = await response.clone().text()
    const { method } = request
    const { status, headers } = response
    const judged = judge({
      method,
      url,
      request: sent === '' ? undefined : jsonOf(sent),
      status,
      headers,
      text,
    })
    const problems = [...judged.problems, ...headerProblems(status, headers)]
    const userAgent = request.headers.get('user-agent') ?? ''
    calls.push({ operation: judged.operation, method, path: url.pathname, status, userAgent, problems })
    return response
  }
  return {
    calls,
    takeDifferences() {
      const fresh = calls.slice(judgedCount)
      judgedCount = calls.length
      return fresh.flatMap(({ method, path, problems }) => problems.map((why) => `${method} ${path}: ${why}`))
    },
    [Symbol.dispose]() {
      globalThis.fetch = original
    },
  }
}

const budgetHeaders = ['limit', 'remaining', 'used', 'reset'].map((name) => `x-ratelimit-${name}`)

/** Differences in headers that GitHub sends and its description does not mention. */
function headerProblems(status: number, headers: Headers): string[] {
  const problems: string[] = []
  const id = headers.get('x-github-request-id') ?? ''
  if (!/^[0-9A-F]{4}(:[0-9A-F]+){4}$/.test(id)) problems.push(`x-github-request-id is "${id}"`)
  if (status === 401) return problems
  for (const name of budgetHeaders) {
    if (!/^\d+$/.test(headers.get(name) ?? '')) problems.push(`${name} is "${headers.get(name)}"`)
  }
  if (headers.get('x-ratelimit-resource') !== 'core') problems.push('x-ratelimit-resource is not core')
  return problems
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
