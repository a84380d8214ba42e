import { z } from 'zod'
import { secret, setting } from '../../../api/schema/index.ts'
import { forgeKindNames, forgeKinds } from '../../../domain/forge/index.ts'
import { forgeScopes, type OwnShape, type SettingProblem } from './kind-settings.ts'
import { loadKinds } from './load-kinds.ts'

const text = z.string().min(1)
const url = z.url({ protocol: /^https?$/, error: 'an http or https URL' })
const kinds = await loadKinds()

/** The forge that gives the jobs, and how it is reached. Settings that only one kind has stand in its file of `kinds/`. */
export const forgeSchema = z
  .strictObject({
    kind: setting('Which forge gives the jobs.', z.enum(forgeKindNames).default('simulated'), {
      flagAlias: '--forge',
    }),
    url: setting('Where the forge is: the address that people open, or that of its API.', url.optional(), {
      defaultText: defaultTexts('url').join(', or '),
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
    ...own('credentials'),
    webhookSecrets: secret(
      'Secrets that sign webhooks; any of them is accepted, so that they can be changed one by one.',
      z.array(text).max(10).default([]),
    ),
    scope: setting(
      'Where runners are registered. `organisation` falls back to the repository where the owner is a person.',
      z.enum(forgeScopes).default('repository'),
    ),
    ...own('registration'),
    proxy: setting('HTTP proxy on the way to the forge.', url.optional(), {
      defaultText: 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment',
    }),
    caFile: setting('Certificate authorities to trust besides those of the system, PEM.', text.optional()),
    pointsPerMinute: setting(
      "The forge's secondary limit in points a minute (a read is 1, a write 5): calls are paced under it. 0: none.",
      z.int().min(0).max(1_000_000).optional(),
      { defaultText: [...defaultTexts('pointsPerMinute'), 'else 0'].join(', ') },
    ),
    ...own('others'),
  })
  .superRefine((settings, context) => {
    const judged = Object.values(kinds).flatMap((kind) => kind.contradictions?.(settings) ?? [])
    for (const { path, expected } of [...(kinds[settings.kind].missing?.(settings) ?? []), ...judged])
      context.addIssue({ code: 'custom', path: [...path], message: expected })
  })

type ForgeSettings = z.output<typeof forgeSchema>

/** Settings of the forge that are missing where runners are pods. */
export function missingForPods(settings: ForgeSettings): readonly SettingProblem[] {
  return kinds[settings.kind].missingForPods?.(settings) ?? []
}

/** Whether runners are registered in runner groups. */
export function hasRunnerGroups({ kind, scope }: Pick<ForgeSettings, 'kind' | 'scope'>): boolean {
  return forgeKinds[kind].hasRunnerGroups(scope)
}

/** The settings of this group that single kinds have; the three groups together are all of `OwnShape`. */
function own(group: 'credentials' | 'registration' | 'others'): OwnShape {
  return Object.assign({}, ...Object.values(kinds).map((kind) => kind[group])) as OwnShape
}

/** The simulated forge is registered first, as the default, and mentioned last. */
function defaultTexts(name: 'url' | 'pointsPerMinute'): readonly string[] {
  return Object.values(kinds)
    .toReversed()
    .flatMap(({ defaultTexts: texts }) => texts?.[name] ?? [])
}
