import path from 'node:path'
import { createFolderSink, createS3Sink } from '../../adapters/record-sink/index.ts'
import type { Secrets } from '../../platform/config/index.ts'
import { openNetwork } from '../../platform/network/index.ts'
import type { RecordSink } from '../../ports/record-sink.ts'
import type { Base } from '../base.ts'

/** The second place of death records, next to the ledger; null: there is none. */
export interface OpenSink {
  readonly sink: RecordSink | null
  close(): Promise<void>
}

/** `secrets` returns the current ones: their files may change at run time. */
export function openRecordSink({ config, clock }: Base, secrets: () => Pick<Secrets, 's3'>): OpenSink {
  const { sink, folder, keepDays, s3 } = config.records
  const close = async () => {}
  if (sink === 'none') return { sink: null, close }
  if (sink === 'folder') {
    const where = folder ?? path.join(config.dataDir, 'records')
    return { sink: createFolderSink({ folder: where, keepDays, clock }), close }
  }
  const { endpoint, bucket, prefix, region, proxy, caFile } = s3
  const network = openNetwork({ proxy, caFile, env: process.env, settings: 'records.s3' })
  const store = createS3Sink({
    ...(endpoint !== undefined && { endpoint }),
    bucket: bucket as string,
    prefix,
    region,
    clock,
    dispatcher: network.dispatcher,
    credentials: () => credentialsOf(secrets().s3),
  })
  return { sink: store, close: network.close }
}

/** The configuration was checked: a store has its id and key. */
function credentialsOf({ accessKeyId, secretAccessKey, sessionToken }: Secrets['s3']) {
  return {
    accessKeyId: accessKeyId as string,
    secretAccessKey: secretAccessKey as string,
    ...(sessionToken !== undefined && { sessionToken }),
  }
}
