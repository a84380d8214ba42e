import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fault of the store for one of the next requests. */
type StoreFault = number | 'hang' | 'reset' | 'lose-answer' | 'hang-body'

/** A small object store that checks requests as a real one does. */
export interface Store extends AsyncDisposable {
  readonly url: string
  /** By key, in the order of their first arrival. */
  readonly objects: Map<string, string>
  /** The problems of requests. */
  readonly problems: string[]
  readonly requests: IncomingMessage[]
  readonly faults: StoreFault[]
}

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/
const mustSign = ['host', 'x-amz-content-sha256', 'x-amz-date']

export async function startStore(secret: string): Promise<Store> {
  const objects = new Map<string, string>()
  const problems: string[] = []
  const requests: IncomingMessage[] = []
  const faults: StoreFault[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    void answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const fault = faults.shift()
    if (fault === 'hang') return
    if (fault === 'reset') return void request.socket.resetAndDestroy()
    if (typeof fault === 'number') {
      return void response.writeHead(fault).end(`<Error><Code>Code${fault}</Code></Error>`)
    }
    problems.push(...problemsOf(request, body, secret))
    objects.set(request.url ?? '', body)
    if (fault === 'lose-answer') return void request.socket.destroy()
    response.writeHead(200)
    if (fault === 'hang-body') return void response.write('<')
    response.end()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    problems,
    requests,
    faults,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function problemsOf(request: IncomingMessage, body: string, secret: string): string[] {
  const { method, headers } = request
  const parts = authorization.exec(headers.authorization ?? '')
  if (parts === null) return [`authorization ${headers.authorization}`]
  const [, , day = '', region = '', signed = '', signature] = parts
  const problems: string[] = []
  if (method !== 'PUT') problems.push(`method ${method}`)
  for (const name of mustSign) if (!signed.split(';').includes(name)) problems.push(`${name} is not signed`)
  if (!String(headers['x-amz-date']).startsWith(`${day}T`)) problems.push('the date is not that of the scope')
  if (headers['x-amz-content-sha256'] !== sha256(body))
    problems.push('the body is not the one that was signed')
  if (signature !== expectedSignature(request, { day, region, signed, secret })) problems.push('signature')
  return problems
}

/** As the documentation of Signature Version 4 has it, for a request without a query. */
function expectedSignature(
  { method, url, headers }: IncomingMessage,
  { day, region, signed, secret }: Record<'day' | 'region' | 'signed' | 'secret', string>,
): string {
  const lines = signed.split(';').map((name) => `${name}:${headers[name]}`)
  const request = [method, url, '', ...lines, '', signed, headers['x-amz-content-sha256']].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`))
  return hmac(key, text).toString('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
