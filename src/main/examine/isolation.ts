import type { Check } from '../../domain/examination.ts'
import type { Config } from '../../platform/config/index.ts'
import { lookAtIsolation } from '../fleet/index.ts'

/** What separates local jobs from Holdfast and from each other; tried with a real process under root. */
export async function checkIsolation(config: Config): Promise<Check> {
  const { level, sentence, todo, isRefused } = (await lookAtIsolation(config)).report
  const shortfall = isRefused ? 'fail' : 'warn'
  return { name: 'isolation', result: level === 'own-users' ? 'ok' : shortfall, found: sentence, todo }
}
