import type { Audit, AuditInput } from '../audit.ts'
import type { Judgement } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { abortedFinalization, hostFileTable, processFileTable } from './classes.ts'
import { openFinishedJobs } from './finalization.ts'
import { complaints } from './logs.ts'
import { fullTables } from './pressure.ts'

export const fileTable: Audit = {
  name: 'file-table',
  title: 'Full file tables of nodes, and jobs that are done and stay open',
  classes: [hostFileTable, processFileTable, abortedFinalization],
  judge: judgeFileTable,
}

function judgeFileTable(input: AuditInput): Judgement {
  const { cluster, forge } = input.snapshot
  return {
    findings: [...fullTables(input), ...complaints(input), ...openFinishedJobs(input)],
    unjudged: [
      ...unjudgedBy([hostFileTable], cluster.nodeProbes),
      ...unjudgedBy([hostFileTable, processFileTable], cluster.runnerLogs),
      ...unjudgedBy([hostFileTable, processFileTable], forge.logs),
      ...unjudgedBy([abortedFinalization], forge.jobs),
      ...unjudgedBy([abortedFinalization], forge.runners),
      ...unjudgedBy([abortedFinalization], cluster.pods),
    ],
    tables: [],
  }
}
