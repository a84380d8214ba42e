import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Digest } from '../../domain/canonical-json.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import { type PlanStore, plansKeptMax } from '../../ports/plan-store.ts'
import { isPlanHash, planOfHash } from '../remedy-schemas/index.ts'

const fileMode = 0o600

/** Plans in a folder, one file each. */
export function createPlanFiles(folder: string, digest: Digest): PlanStore {
  const fileOf = (hash: string) => path.join(folder, `${hash}.json`)
  return {
    async write(hash, plan) {
      await mkdir(folder, { recursive: true })
      await dropOldest(folder)
      await writeFile(fileOf(hash), `${JSON.stringify(plan, null, 2)}\n`, { mode: fileMode, flush: true })
    },
    async read(hash) {
      if (!isPlanHash(hash))
        throw new HoldfastError('E_PLAN_UNKNOWN', { hash: hash.slice(0, 80), place: folder })
      const file = fileOf(hash)
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (systemCodeOf(error) === 'ENOENT')
          throw new HoldfastError('E_PLAN_UNKNOWN', { hash, place: folder })
        throw new HoldfastError('E_PLAN_DAMAGED', { place: file, problem: reasonOf(error) }, error)
      })
      return planOfHash(parseJson(text), hash, file, digest)
    },
  }
}

async function dropOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  if (names.length < plansKeptMax) return
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name)
      return { file, at: (await stat(file)).mtimeMs }
    }),
  )
  const oldest = files.sort((a, b) => a.at - b.at).slice(0, names.length - plansKeptMax + 1)
  for (const { file } of oldest) await rm(file, { force: true })
}
