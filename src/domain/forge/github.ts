import { parseActionsPath } from './actions-paths.ts'
import type { ForgeKind } from './kind.ts'

/** GitHub's secondary limit (docs/design/recovery.md). A GitHub Enterprise Server has none unless somebody sets it. */
const pointsPerMinute = 900

export const github: ForgeKind = {
  isSimulated: false,
  hasRunnerGroups: (scope) => scope !== 'repository',
  pointsPerMinute: (url) => (url === undefined || isGitHubCloud(url) ? pointsPerMinute : null),
  parsePath: parseActionsPath,
  // Classic, app and fine-grained tokens; installation tokens may carry a JWT.
  tokens: [/(?:gh[opusr]_|github_pat_)[A-Za-z0-9_.-]{16,}/g, /\bv1\.[0-9a-f]{40}\b/g],
  tokenNames: [],
  laterIds: () => [],
}

function isGitHubCloud(url: string): boolean {
  return /(^|\.)(github\.com|ghe\.com)$/.test(new URL(url).hostname)
}
