import { z } from 'zod'
import { secret, setting } from '../../api/schema/index.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Below this a busy machine alone makes a runner that is well look dead. */
const LOCK_RENEW_TIMEOUT_MS_MIN = 2_000
const text = z.string().min(1)
const url = z.url({ protocol: /^https?$/, error: 'an http or https URL' })

const app = z.strictObject({
  id: setting(
    'Id or client id of the GitHub App; given, the App is used instead of a token.',
    text.optional(),
  ),
  installationId: setting(
    "Serve only this installation of the App; without it, all of the App's installations.",
    z.int().positive().optional(),
  ),
  privateKey: secret("The App's private key, PEM.", text.optional()),
})

const simulated = z.strictObject({
  port: setting('Port of the simulated forge; 0 takes a free one.', z.int().min(0).max(65_535).default(8481)),
  runnersUrl: setting(
    'Address under which runners reach the simulated forge, where they are not on this machine.',
    url.optional(),
  ),
  lockRenewTimeoutMs: setting(
    'The simulated forge gives a job up when its runner was silent this long; runners renew four times as often.',
    z.int().min(LOCK_RENEW_TIMEOUT_MS_MIN).max(DAY_MS).default(20_000),
  ),
})

/** Whether runners are registered where there are runner groups. */
export function hasRunnerGroups({
  kind,
  scope,
}: Pick<z.output<typeof forgeSchema>, 'kind' | 'scope'>): boolean {
  return kind === 'github' && scope !== 'repository'
}

/** Shorter ones can be guessed from one signed message. */
const WEBHOOK_SECRET_CHARS_MIN = 16

/** The forge that gives the jobs, and how it is reached. */
export const forgeSchema = z
  .strictObject({
    kind: setting(
      'Which forge gives the jobs.',
      z.enum(['simulated', 'github', 'gitea']).default('simulated'),
      { flagAlias: '--forge' },
    ),
    url: setting('Where the forge is: the address that people open, or that of its API.', url.optional(), {
      defaultText: 'https://github.com, or the simulated forge',
    }),
    installation: setting(
      'The name under which the ledger has this forge. Only for a server that moved to another address.',
      z
        .string()
        .regex(/^[\w.:@/-]{1,100}$/, 'a name of letters, digits and .:@/-')
        .optional(),
      { defaultText: 'found by the address' },
    ),
    token: secret("Token for the forge's API.", text.optional()),
    app: app.prefault({}),
    webhookSecrets: secret(
      'Secrets that sign webhooks; any of them is accepted, so that they can be changed one by one.',
      z.array(text).max(10).default([]),
    ),
    scope: setting(
      'Where runners are registered. `organisation` falls back to the repository where the owner is a person.',
      z.enum(['repository', 'organisation', 'enterprise']).default('repository'),
    ),
    enterprise: setting('Name of the enterprise, for `scope: enterprise`.', text.optional()),
    runnerGroup: setting(
      'Name of the runner group, for organisations and enterprises.',
      text.default('Default'),
    ),
    proxy: setting('HTTP proxy on the way to the forge.', url.optional(), {
      defaultText: 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment',
    }),
    caFile: setting('Certificate authorities to trust besides those of the system, PEM.', text.optional()),
    pointsPerMinute: setting(
      "The forge's secondary limit in points a minute (a read is 1, a write 5): calls are paced under it. 0: none.",
      z.int().min(0).max(1_000_000).optional(),
      { defaultText: '900 at github.com and ghe.com, else 0' },
    ),
    simulated: simulated.prefault({}),
  })
  .refine(({ kind, token, app: { id } }) => kind !== 'github' || token !== undefined || id !== undefined, {
    path: ['token'],
    error: 'a token or an App (forge.app.id and forge.app.privateKey), because forge.kind is github',
  })
  .refine(({ app: { id, privateKey } }) => (id === undefined) === (privateKey === undefined), {
    path: ['app', 'privateKey'],
    error: 'forge.app.id and forge.app.privateKey together, or neither',
  })
  .refine(({ kind, token }) => kind !== 'gitea' || token !== undefined, {
    path: ['token'],
    error: 'a token, because forge.kind is gitea',
  })
  .refine(({ kind, url: at }) => kind !== 'gitea' || at !== undefined, {
    path: ['url'],
    error: 'the address of Gitea, because forge.kind is gitea',
  })
  .refine(({ kind, webhookSecrets }) => kind === 'simulated' || webhookSecrets.length > 0, {
    path: ['webhookSecrets'],
    error: 'at least one secret, because the forge is a real one',
  })
  .refine(
    ({ kind, webhookSecrets }) =>
      kind === 'simulated' || webhookSecrets.every(({ length }) => length >= WEBHOOK_SECRET_CHARS_MIN),
    {
      path: ['webhookSecrets'],
      error: `secrets of at least ${WEBHOOK_SECRET_CHARS_MIN} characters: whoever guesses one can announce jobs (openssl rand -hex 32)`,
    },
  )
  .refine(({ scope, enterprise }) => scope !== 'enterprise' || enterprise !== undefined, {
    path: ['enterprise'],
    error: 'the name of the enterprise, because forge.scope is enterprise',
  })
