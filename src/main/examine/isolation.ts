import type { Check } from '../../domain/examination.ts'
import type { Config } from '../../platform/config/index.ts'

/** What a local job can reach of Holdfast itself, because it runs as the same user. */
export async function checkIsolation({ forge }: Config): Promise<Check> {
  const name = 'isolation'
  const isRoot = process.getuid?.() === 0
  const whose = isRoot ? 'root' : "Holdfast's own user"
  return {
    name,
    result: isRoot && forge.kind !== 'simulated' ? 'fail' : 'warn',
    found: `local jobs run as ${whose}: they can read its data and end it`,
    todo: 'Run only jobs that you trust here, or runners as pods: --fleet kubernetes.',
  }
}
