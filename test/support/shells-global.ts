import { reasonOf } from '../../src/domain/reason.ts'
import { findProgram, installPackages } from './debian.ts'

/** Programs of the tests of the poller's images, and the Debian packages that hold them. */
const programs = { dash: 'dash', busybox: 'busybox-static', curl: 'curl' } as const

/** Installs the shells that images have and this machine has not; where it cannot, their tests are skipped, and that is said. */
export default async function setup(): Promise<void> {
  const missing: string[] = []
  for (const [program, from] of Object.entries(programs))
    if ((await findProgram(program)) === null) missing.push(from)
  if (missing.length === 0) return
  try {
    await installPackages(missing, (line) => console.log(line))
  } catch (error) {
    console.log(`TESTS OF THE IMAGES ARE SKIPPED: ${missing.join(', ')} is not here. ${reasonOf(error)}`)
  }
}
