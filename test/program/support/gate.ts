import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Place } from './place.ts'

/** A job that runs until the test lets it end. */
export interface Gate {
  readonly script: string
  open(): Promise<void>
}

/** Its script ends well when the gate is opened, and fails by itself long after any test. */
export function newGate(place: Place): Gate {
  const file = path.join(place.shared, 'gate')
  return {
    script: `for n in $(seq 3000); do [ -e '${file}' ] && exit 0; sleep 0.1; done; exit 1`,
    open: () => writeFile(file, ''),
  }
}
