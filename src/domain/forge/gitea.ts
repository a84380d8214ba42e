import { parseActionsPath } from './actions-paths.ts'
import type { ForgeKind } from './kind.ts'

/**
 * Gitea before 1.27 keeps a job's id when the job runs again; the ledger ends a job once. So each run of a job is a job
 * of its own there: the first has Gitea's id, the second this much more, and so on (docs/design/gitea.md).
 */
export const giteaIdStep = 1_000_000_000_000
/** Runs of one job that are looked for. */
const runsMax = 20

export const gitea: ForgeKind = {
  isSimulated: false,
  hasRunnerGroups: () => false,
  pointsPerMinute: () => null,
  parsePath: parseActionsPath,
  tokens: [],
  tokenNames: ['gitea', 'forgejo'],
  laterIds: (forgeJobId) =>
    Array.from({ length: runsMax - 1 }, (_, index) => forgeJobId + (index + 1) * giteaIdStep),
}
