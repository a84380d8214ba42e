import type { Check } from '../../../domain/examination.ts'
import type { Config } from '../../../platform/config/index.ts'
import { probeIsolation } from '../../fleet/index.ts'

/** Checks the isolation of local jobs from Holdfast and from each other; under root with a real process. */
export async function checkIsolation(config: Config): Promise<Check> {
  const { level, sentence, todo, isRefused } = (await probeIsolation(config)).report
  const shortfall = isRefused ? 'fail' : 'warn'
  return { name: 'isolation', result: level === 'own-users' ? 'ok' : shortfall, found: sentence, todo }
}
