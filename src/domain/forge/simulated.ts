import { parseActionsPath } from './actions-paths.ts'
import type { ForgeKind } from './kind.ts'

/** The forge that comes with Holdfast, for trying; it speaks GitHub's API. */
export const simulated: ForgeKind = {
  isSimulated: true,
  hasRunnerGroups: () => false,
  pointsPerMinute: () => null,
  parsePath: parseActionsPath,
  tokens: [],
  tokenNames: [],
  laterIds: () => [],
}
