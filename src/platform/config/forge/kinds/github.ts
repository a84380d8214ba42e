import { z } from 'zod'
import { secret, setting } from '../../../../api/schema/index.ts'
import type { JudgedSettings, KindSettings, SettingProblem } from '../kind-settings.ts'
import { webhookSecretProblems } from '../webhook-secrets.ts'

const text = z.string().min(1)

const credentials = {
  app: z
    .strictObject({
      id: setting(
        'Id or client id of the GitHub App; given, the App is used instead of a token.',
        text.optional(),
        { isReloaded: true },
      ),
      installationId: setting(
        "Serve only this installation of the App; without it, all of the App's installations.",
        z.int().positive().optional(),
      ),
      privateKey: secret("The App's private key, PEM.", text.optional()),
    })
    .prefault({}),
}

const registration = {
  enterprise: setting('Name of the enterprise, for `scope: enterprise`.', text.optional()),
  runnerGroup: setting(
    'Name of the runner group, for organisations and enterprises.',
    text.default('Default'),
  ),
}

type Shape = typeof credentials & typeof registration
declare module '../kind-settings.ts' {
  interface OwnShape extends Shape {}
}

/** The settings of GitHub, in the cloud or as GitHub Enterprise Server. */
export const settings: KindSettings = {
  credentials,
  registration,
  defaultTexts: { url: 'https://github.com', pointsPerMinute: '900 at github.com and ghe.com' },
  contradictions,
  missing: (given) => [...credentialProblems(given), ...webhookSecretProblems(given)],
}

function contradictions({ app, scope, enterprise }: JudgedSettings): readonly SettingProblem[] {
  const problems: SettingProblem[] = []
  if ((app.id === undefined) !== (app.privateKey === undefined))
    problems.push({
      path: ['app', 'privateKey'],
      expected: 'forge.app.id and forge.app.privateKey together, or neither',
    })
  if (scope === 'enterprise' && enterprise === undefined)
    problems.push({
      path: ['enterprise'],
      expected: 'the name of the enterprise, because forge.scope is enterprise',
    })
  return problems
}

function credentialProblems({ token, app }: JudgedSettings): readonly SettingProblem[] {
  if (token !== undefined || app.id !== undefined) return []
  const expected = 'a token or an App (forge.app.id and forge.app.privateKey), because forge.kind is github'
  return [{ path: ['token'], expected }]
}
