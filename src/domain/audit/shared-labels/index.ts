import type { Audit, AuditInput } from '../audit.ts'
import type { Judgement } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { labelLoads } from '../label-load.ts'
import { fairnessContention, repositoryStarved } from './classes.ts'
import { contendedLabels } from './contention.ts'
import { demands } from './demand.ts'
import { starvedRepositories } from './starvation.ts'
import { holdersTable, topologyTable, waitsTable } from './tables.ts'

export const sharedLabels: Audit = {
  name: 'shared-labels',
  title: 'Labels that several repositories share: who holds them, who waits',
  classes: [fairnessContention, repositoryStarved],
  judge: judgeSharedLabels,
}

function judgeSharedLabels(input: AuditInput): Judgement {
  const { snapshot } = input
  const loads = labelLoads(input)
  const all = demands(snapshot, loads)
  const tables = [topologyTable(loads), holdersTable(loads), waitsTable(all, snapshot)]
  return {
    findings: [...contendedLabels(input, loads), ...starvedRepositories(input, loads, all)],
    unjudged: [
      ...unjudgedBy([fairnessContention, repositoryStarved], snapshot.forge.jobs),
      ...unjudgedBy([fairnessContention, repositoryStarved], snapshot.cluster.scaleSets),
      ...unjudgedBy([fairnessContention], snapshot.cluster.runners),
    ],
    tables: tables.filter(({ rows }) => rows.length > 0),
  }
}
