import { type ForgeKindName, forgeKindNames } from '../../../domain/forge/index.ts'
import type { KindSettings } from './kind-settings.ts'

/** The settings of every registered kind of forge: the file of `kinds/` that has the kind's name. */
export async function loadKinds(): Promise<Readonly<Record<ForgeKindName, KindSettings>>> {
  const entries = forgeKindNames.map(async (kind) => {
    const { settings } = (await import(`./kinds/${kind}.ts`)) as { readonly settings: KindSettings }
    return [kind, settings] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Record<ForgeKindName, KindSettings>
}
