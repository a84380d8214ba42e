import type { JudgedSettings, KindSettings, SettingProblem } from '../kind-settings.ts'
import { webhookSecretProblems } from '../webhook-secrets.ts'

/** Gitea has no setting of its own. */
export const settings: KindSettings = { missing }

function missing(given: JudgedSettings): readonly SettingProblem[] {
  const problems: SettingProblem[] = []
  if (given.token === undefined)
    problems.push({ path: ['token'], expected: 'a token, because forge.kind is gitea' })
  if (given.url === undefined)
    problems.push({ path: ['url'], expected: 'the address of Gitea, because forge.kind is gitea' })
  return [...problems, ...webhookSecretProblems(given)]
}
