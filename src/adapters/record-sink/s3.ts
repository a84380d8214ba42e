import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Dispatcher } from 'undici'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SealedDeath } from '../../ports/ledger.ts'
import { type RecordSink, recordDay, recordLine } from '../../ports/record-sink.ts'
import { toFailure, whyRefused } from './s3-failure.ts'

export interface S3SinkOptions {
  /** The address of a store other than AWS; its buckets are then named in the path. */
  readonly endpoint?: string
  readonly bucket: string
  /** The prefix of all object names; empty or without slashes at its ends. */
  readonly prefix: string
  readonly region: string
  /** Read for every object, so that they can be rotated while we run. */
  readonly credentials: () => S3Credentials
  readonly clock: Clock
  /** For a proxy or an own certificate authority. */
  readonly dispatcher?: Dispatcher | undefined
  readonly fetch?: typeof fetch
}

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

const requestMs = 60_000
const idDigits = 12

/** Writes records as objects of an S3-compatible store: one for the records of a day that are written together. */
export function createS3Sink(options: S3SinkOptions): RecordSink {
  const { bucket } = options
  return {
    name: `s3:${options.endpoint ?? 'aws'}/${bucket}/${options.prefix}`,
    async write(records, signal) {
      // One after the other: a later object never exists without the earlier ones.
      for (const ofDay of Map.groupBy(records, recordDay).values()) await put(ofDay, options, signal)
    },
  }
}

async function put(
  records: readonly SealedDeath[],
  options: S3SinkOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, dispatcher, fetch: send = fetch } = options
  const sink = `the bucket ${options.bucket}`
  const deadline = new AbortController()
  const cancel = clock.after(requestMs, () => deadline.abort(new Error(`no answer within ${requestMs} ms`)))
  try {
    signal.throwIfAborted()
    const { url, headers, body } = await signed(records, options)
    const until = AbortSignal.any([signal, deadline.signal])
    const way = dispatcher === undefined ? {} : { dispatcher }
    const init = { method: 'PUT', headers, body, redirect: 'manual', signal: until, ...way } as RequestInit
    const answer = await send(url, init)
    const refusal = await whyRefused(answer)
    if (refusal !== null) throw new HoldfastError(refusal.code, { sink, reason: refusal.reason })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw toFailure(error, sink, deadline.signal)
  } finally {
    cancel()
  }
}

async function signed(records: readonly SealedDeath[], options: S3SinkOptions) {
  const body = records.map(recordLine).join('')
  const signer = new AwsV4Signer({
    ...options.credentials(),
    method: 'PUT',
    service: 's3',
    region: options.region,
    body,
    url: `${baseUrl(options)}/${objectName(records, options.prefix)}`,
    datetime: new Date(options.clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    headers: {
      'content-type': 'application/x-ndjson',
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
    },
  })
  const { url, headers } = await signer.sign()
  return { url, headers, body }
}

function baseUrl({ endpoint, bucket, region }: S3SinkOptions): string {
  return endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`
}

/** The name of an object by the numbers of its records: writing the same records twice writes the same object. */
function objectName(records: readonly SealedDeath[], prefix: string): string {
  const [first, last] = [records[0], records.at(-1)] as [SealedDeath, SealedDeath]
  const number = ({ id }: SealedDeath) => String(id).padStart(idDigits, '0')
  const name = `${recordDay(first).replaceAll('-', '/')}/${number(first)}-${number(last)}.jsonl`
  return prefix === '' ? name : `${prefix}/${name}`
}
