import { createForgeFiles } from '../../../adapters/github/index.ts'
import type { SnapshotOrder } from '../../../cli/index.ts'
import type { ForgeFactsReader } from '../../../ports/forge-facts.ts'
import type { Base } from '../../base.ts'
import { loadForgeModule } from '../../forge/index.ts'
import { silentLog as log } from '../silent-log.ts'

/** The files that were given, else the forge of the settings; null: there is neither. */
export async function forgeReader({ files }: SnapshotOrder, base: Base): Promise<ForgeFactsReader | null> {
  const { runners, jobs, logs = [] } = files
  if (runners.length + jobs.length + logs.length > 0) return createForgeFiles({ ...files, clock: base.clock })
  const { openFacts } = await loadForgeModule(base.config.forge.kind)
  return openFacts({ ...base, log })
}
