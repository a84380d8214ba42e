/** One request that a job makes with curl. */
export interface Request {
  readonly method?: 'GET' | 'POST'
  readonly url: string
  /** The credential, as a shell expression of the job; none by default. */
  readonly token?: string
  /** The content, in double quotes of the shell; a POST has an empty object by default. */
  readonly body?: string
  /** The name of the answer; `GET <path>` by default. */
  readonly name?: string
}

/** Lines of shell that print the status of each answer. */
export function asking(...requests: readonly Request[]): string {
  return requests.map(lineOf).join('\n')
}

/** The statuses that a job printed, by the names of its requests. */
export function answersIn(log: string): Record<string, string> {
  const found = [...log.matchAll(/answer (\d+) to (.+)$/gm)]
  return Object.fromEntries(found.map(([, status, name]) => [name, status]))
}

function lineOf({ method = 'GET', url, token, body = '{}', name }: Request): string {
  const command = [
    `curl -sk -o /dev/null -w '%{http_code}' --max-time 20 -X ${method}`,
    ...(token === undefined ? [] : [`-H "authorization: Bearer ${token}"`]),
    ...(method === 'GET'
      ? []
      : [`-H 'content-type: application/json' --data "${body.replaceAll('"', '\\"')}"`]),
    url,
  ]
  return `echo "answer $(${command.join(' ')}) to ${name ?? `${method} ${new URL(url).pathname}`}"`
}
