import { writeFile } from 'node:fs/promises'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'

/** Writes a contract to a new file; one that is there is never replaced. */
export async function createTextFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    const reason = systemCodeOf(error) === 'EEXIST' ? 'it is there already' : reasonOf(error)
    throw new HoldfastError('E_CONTRACT_UNWRITABLE', { file, reason }, error)
  }
}
