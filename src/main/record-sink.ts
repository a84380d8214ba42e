import path from 'node:path'
import { createFolderSink, createS3Sink } from '../adapters/record-sink/index.ts'
import type { RecordSink } from '../ports/record-sink.ts'
import type { Base } from './base.ts'

/** Where death records are written beside the ledger; null: nowhere. */
export function openRecordSink({ config, clock }: Base): RecordSink | null {
  const { sink, folder, s3 } = config.records
  if (sink === 'none') return null
  if (sink === 'folder') return createFolderSink({ folder: folder ?? path.join(config.dataDir, 'records') })
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken } = s3
  const credentials = {
    accessKeyId: accessKeyId as string,
    secretAccessKey: secretAccessKey as string,
    ...(sessionToken !== undefined && { sessionToken }),
  }
  return createS3Sink({
    ...(endpoint !== undefined && { endpoint }),
    ...{ bucket: bucket as string, prefix, region, clock },
    credentials: () => credentials,
  })
}
