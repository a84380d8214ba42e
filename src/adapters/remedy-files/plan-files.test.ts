import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { planStoreContract } from '../../../test/contract/plan-store/index.ts'
import { createPlanFiles } from './plan-files.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

describe('in files', () => {
  planStoreContract(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-plans-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    return {
      plans: createPlanFiles(join(folder, 'plans'), digest),
      async damage(hash, change) {
        const file = join(folder, 'plans', `${hash}.json`)
        writeFileSync(file, change(readFileSync(file, 'utf8')))
      },
    }
  })
})
