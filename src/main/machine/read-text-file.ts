import { readFileSync } from 'node:fs'

/** The content of a file; undefined where there is none. */
export function readTextFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
