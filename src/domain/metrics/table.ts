import { deathClasses } from '../death/index.ts'
import { incidentKinds } from '../incident/index.ts'
import { boundedKinds, rules } from '../recovery/index.ts'
import { runnerStates } from '../runner/index.ts'

/** Sets of label values that are known when the program starts. */
const openSets = ['pools', 'routes', 'tasks'] as const
export type OpenSet = (typeof openSets)[number]

export interface MetricEntry {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Every label with all its values, or the name of the set that gives them; another value counts as `other`. */
  readonly labels: Readonly<Record<string, readonly string[] | OpenSet>>
  /** Upper bounds, for histograms. */
  readonly buckets?: readonly number[]
}

/** Waits of jobs and of the forge's jobs are seconds to hours. */
const waitSeconds = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600] as const
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

/** Webhooks that a forge may send where it was asked for more than jobs. */
const webhookEvents = [
  'workflow_job',
  'workflow_run',
  'check_run',
  'check_suite',
  'push',
  'pull_request',
  'installation',
  'installation_repositories',
  'repository',
  'ping',
] as const

/** Rules of decisions outside the recovery table: by a comparison of everything, not of one subject. */
const loopRules = [
  'missed-job',
  'missed-word',
  'orphaned-stamped-pod',
  'lingering-stray',
  'death-corrected',
  'start-given-up',
  'degraded-node',
] as const

/** Every metric of Holdfast, in one table; docs/reference/metrics.md is generated from it. */
export const metricTable = {
  holdfast_jobs_queued: {
    type: 'gauge',
    help: 'Jobs that wait for a runner.',
    labels: { pool: 'pools' },
  },
  holdfast_jobs_dispatchable: {
    type: 'gauge',
    help: 'Jobs that a runner could be given now: not held, not backing off, not over a cap.',
    labels: { pool: 'pools' },
  },
  holdfast_job_oldest_wait_seconds: {
    type: 'gauge',
    help: 'How long the job that waits longest has waited, also where it is held or backs off; 0: none waits.',
    labels: { pool: 'pools' },
  },
  holdfast_jobs_requeued_total: {
    type: 'counter',
    help: 'Jobs that went back into the queue because nobody ran them, by the rule that put them there.',
    labels: { rule: ['mint-failed', ...rules.map((rule) => rule.name)] },
  },
  holdfast_jobs_lost_total: {
    type: 'counter',
    help: 'Jobs that ended because their runner died.',
    labels: { pool: 'pools' },
  },
  holdfast_jobs_given_up_total: {
    type: 'counter',
    help: 'Jobs that were quarantined after too many refusals: they wait for `holdfast release`.',
    labels: { pool: 'pools' },
  },
  holdfast_requeue_seconds: {
    type: 'histogram',
    help: 'From the sealed death of a runner to its job being back in the queue.',
    labels: {},
    buckets: waitSeconds,
  },
  holdfast_runners: {
    type: 'gauge',
    help: 'Runners by state.',
    labels: { pool: 'pools', state: runnerStates },
  },
  holdfast_job_wait_seconds: {
    type: 'histogram',
    help: 'From first sight of a job to its claim.',
    labels: { pool: 'pools' },
    buckets: waitSeconds,
  },
  holdfast_deaths_total: {
    type: 'counter',
    help: 'Runners that ended, by the class of their death record.',
    labels: { class: deathClasses },
  },
  holdfast_deaths_incomplete_total: {
    type: 'counter',
    help: 'Death records that were sealed although something of them could not be read, by class.',
    labels: { class: deathClasses },
  },
  holdfast_runners_vanished_total: {
    type: 'counter',
    help: 'Runners that were gone before anything of their end was read: each is an alarm.',
    labels: { pool: 'pools' },
  },
  holdfast_evidence_failures_total: {
    type: 'counter',
    help: 'Reads for a death record that failed, by what was read; an ending is asked for again until its deadline.',
    labels: { what: ['ending', 'job', 'ring'] },
  },
  holdfast_disk_free_bytes: {
    type: 'gauge',
    help: 'Free bytes of the disk that holds the embedded Postgres, without the reserve of 32 MiB; not set where the database is elsewhere.',
    labels: {},
  },
  holdfast_records_written_total: {
    type: 'counter',
    help: 'Death records that were written to the sink (`records.sink`).',
    labels: {},
  },
  holdfast_records_failures_total: {
    type: 'counter',
    help: 'Times that death records could not be written to the sink; they are tried again.',
    labels: { outcome: ['failed', 'refused'] },
  },
  holdfast_records_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest death record that the sink did not have yet when it was last tried; 0: it has all.',
    labels: {},
  },
  holdfast_archive_set_aside: {
    type: 'gauge',
    help: 'Ended jobs and runners that could not be archived, and are tried again later; the log has the reason.',
    labels: { kind: ['job', 'runner'] },
  },
  holdfast_decisions_total: {
    type: 'counter',
    help: 'Decisions of recovery, by rule.',
    labels: { rule: [...loopRules, ...rules.map((rule) => rule.name)] },
  },
  holdfast_hosts: {
    type: 'gauge',
    help: 'Machines and clusters that run runners: those that send heartbeats, and those that are lost and not over yet.',
    labels: { state: ['live', 'lost'] },
  },
  holdfast_acts_held_total: {
    type: 'counter',
    help: 'Acts of recovery that were held back because they were over a bound per hour, by kind and by whose bound it was.',
    labels: { kind: boundedKinds, scope: ['fleet', 'node'] },
  },
  holdfast_looks_failed_total: {
    type: 'counter',
    help: 'Looks of recovery that failed, by what was looked at; the subject is postponed with back-off.',
    labels: { subject: ['attempt', 'job', 'runner'] },
  },
  holdfast_deliveries_total: {
    type: 'counter',
    help: 'Webhooks received, by what became of them.',
    labels: { outcome: ['stored', 'duplicate', 'refused', 'pong'] },
  },
  holdfast_deliveries_worked_total: {
    type: 'counter',
    help: 'Stored webhooks that were worked on, by what became of them.',
    labels: { outcome: ['done', 'ignored', 'foreign', 'failed', 'poison'], event: webhookEvents },
  },
  holdfast_redeliveries_total: {
    type: 'counter',
    help: 'Webhooks that never reached us, by what became of asking the forge for them again.',
    labels: { outcome: ['asked', 'gone', 'given-up'] },
  },
  holdfast_incidents_total: {
    type: 'counter',
    help: 'Incidents that were opened: what only a person can lift.',
    labels: { kind: incidentKinds },
  },
  holdfast_incidents_open: {
    type: 'gauge',
    help: 'Incidents that are open now, by kind.',
    labels: { kind: incidentKinds },
  },
  holdfast_forge_budget_limit: {
    type: 'gauge',
    help: "The forge's limit of calls in its present window.",
    labels: {},
  },
  holdfast_forge_budget_remaining: {
    type: 'gauge',
    help: "What is left of the forge's limit, calls under way taken off.",
    labels: {},
  },
  holdfast_forge_items_skipped_total: {
    type: 'counter',
    help: "Parts of the forge's lists that an audit passed over because they were not as documented.",
    labels: {},
  },
  holdfast_forge_turn_wait_seconds: {
    type: 'gauge',
    help: "How long a runner's configuration waits for its turn under the forge's limit by points.",
    labels: {},
  },
  holdfast_forge_budget_pace: {
    type: 'gauge',
    help: "How resyncs go under the forge's limit: 1 for the present pace.",
    labels: { pace: ['full', 'slow', 'stopped'] },
  },
  holdfast_forge_request_seconds: {
    type: 'histogram',
    help: 'Calls to the forge.',
    labels: {
      call: [
        'mint',
        'findRunner',
        'removeRunner',
        'readJob',
        'readJobDetail',
        'readRunJobs',
        'readOrigin',
        'readRunHead',
        'listJobs',
        'unreachable',
        'rerunJob',
        'rerunFailedJobs',
        'cancelRun',
        'readLog',
        'readLimit',
      ],
      outcome: ['ok', 'refused', 'failed'],
    },
    buckets: requestSeconds,
  },
  holdfast_http_request_seconds: {
    type: 'histogram',
    help: 'Requests to Holdfast; those that wait for a job take as long as they wait.',
    labels: { route: 'routes', status: ['2xx', '3xx', '4xx', '5xx'] },
    buckets: requestSeconds,
  },
  holdfast_cluster_requests_total: {
    type: 'counter',
    help: 'Requests to the API server of the cluster, every try.',
    labels: {
      verb: ['read', 'watch', 'log', 'create', 'update', 'patch', 'delete'],
      kind: [
        ...['pods', 'nodes', 'resourcequotas', 'events', 'runnerpools', 'leases', 'tokenreviews'],
        ...['namespaces', 'networkpolicies'],
      ],
    },
  },
  holdfast_cluster_view_age_seconds: {
    type: 'gauge',
    help: 'Age of what is known of the cluster: since it was last proven to be so, or since we began to watch.',
    labels: { kind: ['pods', 'nodes', 'quotas', 'warnings', 'pools'] },
  },
  holdfast_task_failures_total: {
    type: 'counter',
    help: 'Background tasks that failed or ended although nobody stopped them.',
    labels: { task: 'tasks' },
  },
} as const satisfies Record<`holdfast_${string}`, MetricEntry>

export type MetricName = keyof typeof metricTable
export type MetricOf<Type extends MetricEntry['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never
}[MetricName]
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<keyof (typeof metricTable)[Name]['labels'], string>
>
