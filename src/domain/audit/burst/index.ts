import type { Audit, AuditInput } from '../audit.ts'
import type { Judgement } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { labelLoads } from '../label-load.ts'
import {
  burstClasses,
  podSlotPressure,
  queuedBehindCapacity,
  quotaExceeded,
  schedulerPressure,
  scratchRegression,
} from './classes.ts'
import { crowdedNodes } from './pod-slots.ts'
import { queuedBehind } from './queued.ts'
import { tightQuotas } from './quota.ts'
import { schedulerRefusals } from './scheduler.ts'
import { lostScratch } from './scratch.ts'

export const burst: Audit = {
  name: 'burst',
  title: 'Jobs that queue in a burst, and the limit that holds them',
  classes: burstClasses,
  judge: judgeBurst,
}

function judgeBurst(input: AuditInput): Judgement {
  const { cluster, forge } = input.snapshot
  const loads = labelLoads(input)
  const scratch = lostScratch(input)
  return {
    findings: [
      ...queuedBehind(input, loads),
      ...schedulerRefusals(input, loads),
      ...crowdedNodes(input),
      ...tightQuotas(input),
      ...scratch.findings,
    ],
    unjudged: [
      ...unjudgedBy([queuedBehindCapacity], forge.jobs),
      ...unjudgedBy([queuedBehindCapacity], forge.runners),
      ...unjudgedBy([queuedBehindCapacity, schedulerPressure, quotaExceeded], cluster.scaleSets),
      ...unjudgedBy(
        [queuedBehindCapacity, schedulerPressure, quotaExceeded, podSlotPressure],
        cluster.runners,
      ),
      ...unjudgedBy([schedulerPressure, podSlotPressure, quotaExceeded], cluster.pods),
      ...unjudgedBy([podSlotPressure], cluster.nodes),
      ...unjudgedBy([quotaExceeded], cluster.quotas),
      ...unjudgedBy([quotaExceeded], cluster.logs),
      ...(input.contract === null
        ? []
        : [cluster.pods, cluster.scaleSets, cluster.runners].flatMap((listing) =>
            unjudgedBy([scratchRegression], listing),
          )),
      ...scratch.unjudged,
    ],
    tables: [],
  }
}
