import { z } from 'zod'
import { priorities } from '../../domain/job/index.ts'
import { forkPolicies, parseCron, poolDefaults, publicPolicies, zoneOf } from '../../domain/pool/index.ts'
import { setting } from '../schema/index.ts'
import { ruled, worded } from './rule.ts'

const runnersMax = 10_000
const labelsMax = 50
const labelCharsMax = 100
const priorityRulesMax = 200
const repositoriesMax = 200
const weightsMax = 1_000
const windowsMax = 20
const weekMinutes = 7 * 24 * 60
const daySeconds = 24 * 60 * 60
/** As long as GitHub lets a workflow run. */
const jobSecondsMax = 35 * daySeconds
const cronCharsMax = 200

const positive = z.number().positive()
const count = z.int().min(1)
const glob = z.string().min(1).max(200)
const label = worded(
  /^[^\s,]{1,100}$/,
  labelCharsMax,
  'a label without spaces or commas, at most 100 characters',
)

export const labels = ruled(z.array(label).min(1).max(labelsMax), [
  {
    expected: 'labels that differ in more than upper and lower case',
    cel: 'self.all(a, self.exists_one(b, a.lowerAscii() == b.lowerAscii()))',
    holds: (list) => new Set(list.map((each) => each.toLowerCase())).size === list.length,
  },
])

/** Without a stroke, `acme*` would let in who calls himself `acme-too`. */
const repository = worded(
  /^[^\s/]+[/][^\s/]+$/,
  200,
  'owner/name, where * stands for any characters, such as acme/*, at most 200 characters',
)
export const repositories = z.array(repository).max(repositoriesMax)

export const publicRepositories = z.enum(publicPolicies).default(poolDefaults.publicRepositories)
export const forks = z.enum(forkPolicies).default(poolDefaults.forks)

export const runners = z.int().min(0).max(runnersMax)
export const seconds = z.int().min(0).max(daySeconds)
export const jobSeconds = z.int().min(1).max(jobSecondsMax)

const item = (value: string) => `(\\*|${value}(-${value})?)(/[0-9]{1,2})?`
const field = (value: string) => `${item(value)}(,${item(value)})*`
const cronFields = [
  ...['[0-5]?[0-9]', '([01]?[0-9]|2[0-3])', '(0?[1-9]|[12][0-9]|3[01])'],
  '(0?[1-9]|1[0-2]|[A-Za-z]{3})',
  '(0?[0-7]|[A-Za-z]{3})',
]
/** The shape alone. Errors that a pattern cannot find (an unknown name, a descending range, 31 February) are reported on the pool. */
const cronPattern = new RegExp(`^\\s*${cronFields.map(field).join('\\s+')}\\s*$`)
const cronExpected =
  'five fields: minute, hour, day of the month, month, day of the week, such as 0 8 * * mon-fri'
const zoneExpected = 'an IANA time zone such as Europe/Berlin or UTC'

const cron = ruled(
  z
    .string()
    .max(cronCharsMax, cronExpected)
    .superRefine((text, context) => {
      const parsed = parseCron(text)
      if (parsed.kind === 'wrong') context.addIssue({ code: 'custom', message: parsed.problem })
    }),
  [],
  { rules: [{ expected: cronExpected, cel: `self.matches(r'${cronPattern.source}')` }] },
)

const zone = ruled(
  z
    .string()
    .max(100, zoneExpected)
    .refine((name) => zoneOf(name) !== null, zoneExpected),
  [],
  // A zone that the server does not know makes the rule fail, with these words after its own.
  { rules: [{ expected: zoneExpected, cel: "timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0" }] },
)

const warmWindow = z.strictObject({
  cron: setting('When it opens: minute, hour, day of the month, month, day of the week.', cron),
  zone: setting('The time zone of that, by its IANA name.', zone.default('UTC')),
  durationMinutes: setting('How long it stays open each time.', z.int().min(1).max(weekMinutes)),
  minWarm: setting('Runners that wait ready for a job meanwhile, at least.', runners),
})
export const warmWindows = z.array(warmWindow).max(windowsMax)

export const fairness = z.strictObject({
  weights: setting(
    'Share of each repository (`owner/name`) relative to the others; what is not listed weighs 1.',
    ruled(
      z
        .record(z.string().min(1), positive)
        .refine((weights) => Object.keys(weights).length <= weightsMax, `at most ${weightsMax} repositories`),
      [],
      { schema: { maxProperties: weightsMax } },
    ).default({}),
  ),
  capPerRepository: setting('Most jobs of one repository at a time.', count.optional()),
  capPerOwner: setting('Most jobs of one owner at a time.', count.optional()),
  ageingMinutes: setting(
    'A job that waited longer goes before every class, the oldest first.',
    positive.default(30),
  ),
})

const priority = z.strictObject({
  repository: setting('Which repositories, as a glob over `owner/name`.', glob),
  job: setting('Which jobs, as a glob over their names.', glob.optional()),
  class: setting('The class of what matches; the first rule that matches counts.', z.enum(priorities)),
})
export const priorityRules = z.array(priority).max(priorityRulesMax)

const { provisioning: starting, rollout: rolling } = poolDefaults
/** A process starts in a moment, a pod whose image must come first in minutes. */
export const provisioningWithin = (startDeadlineSeconds: number) =>
  z.strictObject({
    maxStartingPerNode: setting(
      'Runners that may be starting on one node at a time.',
      z.int().min(1).max(1_000).default(starting.maxStartingPerNode),
    ),
    startDeadlineSeconds: setting(
      'A runner that has not asked for a job by then is given up.',
      seconds.min(10).default(startDeadlineSeconds),
    ),
    unschedulableDeadlineSeconds: setting(
      'A runner that no node takes for this long is given up.',
      seconds.min(10).default(starting.unschedulableDeadlineMs / 1_000),
    ),
  })
export const provisioning = provisioningWithin(starting.startDeadlineMs / 1_000)

export const rollout = z.strictObject({
  maxConcurrentPercent: setting(
    'Of the idle runners, so many are replaced at a time when what they are made from changed; at least one.',
    z.int().min(1).max(100).default(rolling.maxConcurrentPercent),
  ),
})

export const evidence = z.strictObject({
  tailLines: setting(
    "Last lines of the runner's log that are kept; of the pod's other containers a few.",
    z.int().min(0).max(10_000).default(200),
  ),
  tailBytes: setting(
    'Most bytes of them.',
    z
      .int()
      .min(0)
      .max(1024 * 1024)
      .default(64 * 1024),
  ),
  deadlineSeconds: setting(
    'Removal of a runner that ended waits so long for what is not there yet.',
    z.int().min(1).max(3_600).default(60),
  ),
})
