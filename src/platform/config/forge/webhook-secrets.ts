import type { JudgedSettings, SettingProblem } from './kind-settings.ts'

/** Shorter ones can be guessed from one signed message. */
const secretCharsMin = 16

/** A forge that strangers reach signs its webhooks. */
export function webhookSecretProblems({ webhookSecrets }: JudgedSettings): readonly SettingProblem[] {
  const problem = (expected: string): SettingProblem[] => [{ path: ['webhookSecrets'], expected }]
  if (webhookSecrets.length === 0) return problem('at least one secret, because the forge is a real one')
  return webhookSecrets.every(({ length }) => length >= secretCharsMin)
    ? []
    : problem(
        `secrets of at least ${secretCharsMin} characters: an attacker who guesses one can announce jobs (openssl rand -hex 32)`,
      )
}
