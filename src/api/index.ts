export {
  type About,
  type AboutAnswer,
  aboutAnswerSchema,
  aboutSchema,
  errorBodySchema,
  type Liveness,
  livenessSchema,
  type Readiness,
  readinessSchema,
} from './contracts/about.ts'
export { type RingAnswer, type RingPush, ringAnswerSchema, ringPushSchema } from './contracts/agent.ts'
export {
  type ApiBudget,
  type ApiDifference,
  type AuditReport,
  auditReportSchema,
  type ForgeAllowance,
  type ForgeStatus,
  forgeStatusSchema,
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
  type AckRequest,
  ackAnswerSchema,
  ackRequestSchema,
  type DispatchAnswer,
  type PollRequest,
  pollAnswerSchema,
  pollRequestSchema,
  type WebhookAnswer,
  webhookAnswerSchema,
} from './contracts/dispatch.ts'
export {
  type ApiVerdict,
  type ExplainSource,
  type Explanation,
  explainSubjectSchema,
  explanationSchema,
} from './contracts/explain.ts'
export { type ApiHost, type HostList, hostListSchema } from './contracts/host.ts'
export {
  type ApiIncident,
  closedIncidentsMax,
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
  jobSummarySchema,
  jobsLimitMax,
  type ReleaseAnswer,
  releaseAnswerSchema,
} from './contracts/job.ts'
export {
  type ApiAttempt,
  type ApiDeath,
  type ApiDecision,
  type ApiEvidence,
  type ApiJobFile,
  type ApiTimelineRow,
  jobFileSchema,
} from './contracts/job-file.ts'
export {
  type Order,
  type OrderDone,
  orderAnswerSchema,
  rerunQuerySchema,
} from './contracts/order.ts'
export { type ApiPool, type PoolList, poolListSchema } from './contracts/pool.ts'
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
  runnerSchema,
  runnersLimitMax,
} from './contracts/runner.ts'
export { sinceSchema } from './contracts/since.ts'
export { type WhyAnswer, whySchema } from './contracts/why.ts'
export {
  type ParsedPool,
  parseRunnerPool,
  podSettingsGiven,
  type RunnerPoolSpec,
  runnerPoolDefinition,
  runnerPoolSpec,
} from './pool/index.ts'
export { deliveryView } from './present/delivery.ts'
export { endView } from './present/end.ts'
export { hostView } from './present/host.ts'
export { incidentView } from './present/incident.ts'
export { jobSummary } from './present/job.ts'
export { decisionView, jobFile, lastDeath, timelineView } from './present/job-file.ts'
export { logText } from './present/log.ts'
export { poolView } from './present/pool.ts'
export { runnerView } from './present/runner.ts'
export { iso } from './present/time.ts'
export { unreadableJobView, unreadableRunnerView } from './present/unreadable.ts'
export { whyAnswer } from './present/why.ts'
export {
  ageText,
  type DecisionGroup,
  deathText,
  decisionText,
  durationText,
  factLines,
  groupDecisions,
  type Mood,
  moodOf,
  newsOf,
  paceText,
  stateText,
  timelineSentence,
} from './words/index.ts'
