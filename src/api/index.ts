export {
  type About,
  type AboutAnswer,
  aboutAnswerSchema,
  aboutSchema,
  errorBodySchema,
  type Liveness,
  type Readiness,
  readinessSchema,
} from './contracts/about.ts'
export { type RingAnswer, ringPushSchema } from './contracts/agent.ts'
export type { ApiAttempts } from './contracts/attempts.ts'
export {
  type ApiFinding,
  type ApiUnjudged,
  type AuditReport,
  auditJsonSchema,
  auditReportSchema,
} from './contracts/audit.ts'
export {
  type ApiEnd,
  type DeathList,
  type DeathQuery,
  deathListSchema,
  deathQuerySchema,
  deathsLimitMax,
} from './contracts/death-list.ts'
export {
  type ApiListedDecision,
  type DecisionList,
  decisionListSchema,
  decisionQuerySchema,
  decisionsLimitMax,
} from './contracts/decision-list.ts'
export {
  type ApiDelivery,
  type DeliveryList,
  deliveriesLimitMax,
  deliveryListSchema,
  deliveryQuerySchema,
  deliveryStatesShown,
  guidSchema,
  type ReplayAnswer,
  replayAnswerSchema,
} from './contracts/delivery.ts'
export {
  type AckAnswer,
  ackRequestSchema,
  type DispatchAnswer,
  pollRequestSchema,
  type WebhookAnswer,
} from './contracts/dispatch.ts'
export {
  type ApiJobVerdict,
  type ApiVerdict,
  type ExplainSource,
  type Explanation,
  explainSubjectSchema,
  explanationSchema,
} from './contracts/explain.ts'
export { type ApiHost, type HostList, hostListSchema } from './contracts/host.ts'
export {
  type ApiIncident,
  type IncidentList,
  incidentIdSchema,
  incidentListSchema,
  incidentQuerySchema,
  type RetryAnswer,
  retryAnswerSchema,
} from './contracts/incident.ts'
export {
  type ApiUnreadableJob,
  type JobList,
  type JobQuery,
  type JobSummary,
  jobListSchema,
  jobQuerySchema,
  jobsLimitMax,
  type ReleaseAnswer,
  releaseAnswerSchema,
} from './contracts/job.ts'
export {
  type ApiAttempt,
  type ApiDeath,
  type ApiEvidence,
  type ApiJobFile,
  jobFileSchema,
} from './contracts/job-file.ts'
export { type ApiNode, type NodeList, nodeListSchema } from './contracts/node.ts'
export {
  type Order,
  type OrderDone,
  orderAnswerSchema,
  rerunQuerySchema,
} from './contracts/order.ts'
export { type ApiPool, type PoolList, poolListSchema } from './contracts/pool.ts'
export {
  type ApiBudget,
  type ApiDifference,
  type ForgeAllowance,
  type ForgeStatus,
  forgeStatusSchema,
  type ResyncReport,
  resyncReportSchema,
} from './contracts/resync.ts'
export {
  installationSchema,
  type RetireAnswer,
  retireAnswerSchema,
  retireQuerySchema,
} from './contracts/retire.ts'
export {
  type ApiRunner,
  type ApiUnreadableRunner,
  type RunnerList,
  type RunnerQuery,
  runnerListSchema,
  runnerQuerySchema,
  runnersLimitMax,
} from './contracts/runner.ts'
export { sinceSchema } from './contracts/since.ts'
export { itemsMax, partsMax, snapshotSchema, textCharsMax } from './contracts/snapshot/index.ts'
export type { ApiCaseTimeline } from './contracts/timeline.ts'
export { type ApiTriageCase, type TriageReport, triageReportSchema } from './contracts/triage.ts'
export { type WhyAnswer, whySchema } from './contracts/why.ts'
export {
  type WorkdirReconcile,
  type WorkdirReport,
  type WorkdirTriage,
  workdirReconcileSchema,
  workdirReportSchema,
  workdirTriageSchema,
} from './contracts/workdir.ts'
export {
  parseRunnerPool,
  podSettingsGiven,
  runnerPoolDefinition,
  runnerPoolSpec,
} from './pool/index.ts'
export {
  ageText,
  type DecisionGroup,
  deathText,
  decisionText,
  durationText,
  groupDecisions,
  type Mood,
  moodOf,
  paceText,
  stateText,
  withoutEchoes,
} from './text/index.ts'
export { attemptsView } from './views/attempts.ts'
export { auditReport } from './views/audit.ts'
export { decisionList } from './views/decision-list.ts'
export { deliveryView } from './views/delivery.ts'
export { endView } from './views/end.ts'
export { hostView } from './views/host.ts'
export { incidentView } from './views/incident.ts'
export { jobSummary } from './views/job.ts'
export { decisionView, jobFile, lastDeath, timelineSentenceOf } from './views/job-file.ts'
export { jobVerdictView } from './views/job-verdict.ts'
export { logText } from './views/log.ts'
export { nodeView } from './views/node.ts'
export { poolView } from './views/pool.ts'
export { type RaiseView, raiseView } from './views/raise.ts'
export { runnerView } from './views/runner.ts'
export { iso } from './views/time.ts'
export { triageCaseView } from './views/triage.ts'
export { unreadableJobView, unreadableRunnerView } from './views/unreadable.ts'
export { whyAnswer } from './views/why.ts'
export { workdirReconcile, workdirReport } from './views/workdir.ts'
