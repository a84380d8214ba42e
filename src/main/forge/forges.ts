import type { ForgeKindName } from '../../domain/forge/index.ts'
import type { ForgeModule } from './forge-module.ts'

/** Loads the file of `kinds/` that has the kind's name, on demand: the others stay out of memory. */
export async function loadForgeModule(kind: ForgeKindName): Promise<ForgeModule> {
  const { forgeModule } = (await import(`./kinds/${kind}.ts`)) as { readonly forgeModule: ForgeModule }
  return forgeModule
}
