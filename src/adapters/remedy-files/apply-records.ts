import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import { type ApplyRecord, isUnfinished } from '../../domain/remedy/managed-apply/index.ts'
import type { ApplyRecords } from '../../ports/managed-apply.ts'
import { syncFolder } from '../files/index.ts'
import { applyRecordSchema } from './apply-schema.ts'
import { replaceSynced } from './replace-synced.ts'

/** Finished ones are kept a while for people; unfinished ones are never dropped. */
const finishedMax = 200

/** One file for each apply. The caller holds the lock of the data folder's remedies. */
export function createApplyRecords(folder: string): ApplyRecords {
  const fileOf = (id: string) => path.join(folder, `${id}.json`)
  const list = async () => {
    const names = (await namesIn(folder)).filter((name) => name.endsWith('.json'))
    const records = await Promise.all(names.map((name) => readRecord(path.join(folder, name))))
    return records.sort((a, b) => b.beganAt - a.beganAt)
  }
  return {
    list,
    async write(record) {
      if ((await namesIn(folder)).includes(`${record.id}.json`) === false) {
        await mkdir(folder, { recursive: true })
        await syncFolder(path.dirname(folder))
        for (const { id } of (await list()).filter((each) => !isUnfinished(each)).slice(finishedMax))
          await rm(fileOf(id), { force: true })
      }
      await replaceSynced(fileOf(record.id), `${JSON.stringify(record, null, 2)}\n`)
    },
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return []
    throw new HoldfastError('E_APPLY_RECORD', { file: folder, problem: reasonOf(error) }, error)
  }
}

async function readRecord(file: string): Promise<ApplyRecord> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new HoldfastError('E_APPLY_RECORD', { file, problem: reasonOf(error) }, error)
  })
  const record = applyRecordSchema.safeParse(parseJson(text))
  if (record.success) return record.data
  throw new HoldfastError('E_APPLY_RECORD', { file, problem: 'it has not the form of a record' })
}
