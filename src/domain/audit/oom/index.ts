import type { Audit, AuditInput } from '../audit.ts'
import type { Judgement } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { containerOom, effectiveLimitDrift, laneCgroupOom, nodePressureEviction } from './classes.ts'
import { driftedLimits } from './drift.ts'
import { pressedNodes } from './evictions.ts'
import { oomKills } from './kills.ts'

export const oom: Audit = {
  name: 'oom',
  title: 'Kills for memory, limits that are not the declared ones, and evictions',
  classes: [containerOom, laneCgroupOom, effectiveLimitDrift, nodePressureEviction],
  judge: judgeOom,
}

function judgeOom(input: AuditInput): Judgement {
  const { pods, scaleSets, runners, runnerSets, limitRanges } = input.snapshot.cluster
  return {
    findings: [...oomKills(input), ...driftedLimits(input), ...pressedNodes(input)],
    unjudged: [
      ...unjudgedBy([containerOom, laneCgroupOom, effectiveLimitDrift, nodePressureEviction], pods),
      ...unjudgedBy([laneCgroupOom, effectiveLimitDrift], scaleSets),
      ...unjudgedBy([laneCgroupOom, effectiveLimitDrift], runners),
      ...unjudgedBy([effectiveLimitDrift], runnerSets),
      ...unjudgedBy([effectiveLimitDrift], limitRanges),
    ],
    tables: [],
  }
}
