import { z } from 'zod'
import { podShapes, poolDefaults } from '../../domain/pool/index.ts'
import { setting } from '../schema/index.ts'
import {
  evidence,
  fairness,
  forks,
  jobSeconds,
  labels,
  priorityRules,
  provisioning,
  publicRepositories,
  repositories,
  rollout,
  runners,
  seconds,
  warmWindows,
} from './fields.ts'
import { isWithin, quantities } from './quantity.ts'
import { type Rule, ruled, worded } from './rule.ts'
import { hasPreparation, templateSchema } from './template.ts'

/** A runner's name is this and nine characters more, and has to fit a label of Kubernetes. */
const poolNameCharsMax = 40
const imageCharsMax = 500
const groupCharsMax = 200
const argumentsMax = 100
const argumentCharsMax = 4_096
const stopGraceDefaultSeconds = 60

const imageExpected = 'the name of an image, without spaces, at most 500 characters'
const image = worded(/^[^\s]+$/, imageCharsMax, imageExpected)
const runnerGroup = worded(
  /^[^\s]([^\r\n\t]*[^\s])?$/,
  groupCharsMax,
  'the name of a runner group, in one line without spaces around it, at most 200 characters',
)
const dnsExpected = 'lower-case letters, digits, inner hyphens and dots, at most 253'

export const poolName = worded(
  /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/,
  poolNameCharsMax,
  'lower-case letters, digits and inner hyphens, at most 40',
)

const amounts = { takesText: 'a map from resources to amounts' }
const resources = ruled(
  z.strictObject({
    requests: setting('What a node must have free for it.', quantities.default({}), amounts),
    limits: setting('What it may use at most.', quantities.default({}), amounts),
  }),
  [
    {
      at: 'requests',
      expected: 'no request above its limit',
      cel: '!has(self.requests) || !has(self.limits) || self.requests.all(name, !(name in self.limits) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)',
      holds: ({ requests, limits }) => isWithin(requests, limits),
    },
  ],
)

/** The fields of a pool, in a file or in the cluster. */
export const poolShape = {
  labels: setting('Takes jobs whose labels are all among these.', labels),
  repositories: setting(
    'Takes only jobs of these repositories: globs over `owner/name`, such as `acme/*`, without regard to case. An empty list takes none.',
    repositories.optional(),
    { defaultText: 'those of all' },
  ),
  publicRepositories: setting(
    'Whether it takes jobs of public repositories. A job whose repository is not known to be private waits where this is `refuse`.',
    publicRepositories,
  ),
  forks: setting(
    "Whether it takes jobs of a fork's pull request: `allow`, only those of private repositories (`privateOnly`), or `refuse`. A job of which it is not known waits where it would be refused.",
    forks,
  ),
  runnerGroup: setting(
    'Name of the runner group in which its runners are registered, for organisations and enterprises of GitHub.',
    runnerGroup.optional(),
    { defaultText: 'forge.runnerGroup' },
  ),
  minWarm: setting('Runners that wait ready for a job.', runners.default(1)),
  maxRunners: setting('Most runners at a time.', runners.min(1).default(4)),
  warmWindows: setting('Times at which more runners wait ready.', warmWindows.default([])),
  idleTimeoutSeconds: setting(
    'Idle runners that nobody needs are removed after this long.',
    seconds.default(poolDefaults.idleTimeoutMs / 1_000),
  ),
  maxJobSeconds: setting(
    'A job that runs for longer is over its limit: the forge is asked to cancel its workflow run, with all of its jobs, and then its runner is stopped.',
    jobSeconds.optional(),
    { defaultText: 'no limit' },
  ),
  fairness: setting('How repositories share the pool.', fairness.prefault({})),
  priorities: setting('Which jobs go first; what no rule matches is `normal`.', priorityRules.default([])),
  provisioning: setting('How runners are started.', provisioning.prefault({})),
  rollout: setting('How runners are replaced.', rollout.prefault({})),
}

/** The fields of a pool that only pods have. */
export const podShape = {
  shape: setting(
    '`isolated`: the job runs in a container that has no credential at all. `single`: one container asks for the job and runs it.',
    z.enum(podShapes).default('isolated'),
  ),
  image: setting('Image of the runner.', image.optional()),
  command: setting(
    "Program and arguments of the runner, such as /home/runner/run.sh of GitHub's image; it gets the job's configuration. Without it the image's own program runs, which must read HOLDFAST_JIT_FILE itself.",
    z.array(z.string().min(1).max(argumentCharsMax)).min(1).max(argumentsMax).optional(),
  ),
  resources: setting('What the container of the runner gets.', resources.prefault({})),
  runtimeClass: setting(
    'RuntimeClass of the pods, such as one of Kata or gVisor.',
    worded(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 253, dnsExpected).optional(),
  ),
  dind: setting(
    'A Docker daemon next to the runner; `{}` for the usual one.',
    z.strictObject({ image: setting('Image of the daemon.', image.default('docker:dind')) }).optional(),
  ),
  template: setting(
    'A PodTemplateSpec that is merged into the pods of the pool; containers and volumes are merged by name.',
    templateSchema.default({}),
    { takesText: 'a PodTemplateSpec' },
  ),
  vitals: setting(
    "Prints memory, processor, pressure and disk of the runner's container to its log, one line each 3 s while a job runs: a hint where no agent sees the node. It costs half a percent of a processor, and its lines count among those that are kept of the log.",
    z.boolean().default(false),
  ),
  stopGraceSeconds: setting(
    'How long a runner may take to report its end when it is asked to stop.',
    seconds.max(7_200).default(stopGraceDefaultSeconds),
  ),
  evidence: setting("What is kept of a runner's end.", evidence.prefault({})),
}

const plain = z.strictObject({ ...poolShape, ...podShape })
type Plain = z.output<typeof plain>

/** Rules between the fields of a pool. */
export const poolRules: readonly Rule<Pick<Plain, keyof typeof poolShape | 'shape' | 'dind' | 'template'>>[] =
  [
    {
      at: 'minWarm',
      expected: 'at most maxRunners',
      cel: 'self.minWarm <= self.maxRunners',
      holds: ({ minWarm, maxRunners }) => minWarm <= maxRunners,
    },
    {
      at: 'warmWindows',
      expected: 'windows whose minWarm is at most maxRunners',
      cel: 'self.warmWindows.all(window, window.minWarm <= self.maxRunners)',
      holds: ({ warmWindows: windows, maxRunners }) => windows.every(({ minWarm }) => minWarm <= maxRunners),
    },
    {
      at: 'dind',
      expected: 'shape: isolated with it, because the daemon is a second container',
      cel: "!has(self.dind) || self.shape == 'isolated'",
      holds: ({ dind, shape }) => dind === undefined || shape === 'isolated',
    },
    {
      at: 'template',
      expected:
        'no container poller in spec.initContainers with shape: single, which has none; give yours another name',
      cel: "self.shape != 'single' || !has(self.template.spec) || !has(self.template.spec.initContainers) || !self.template.spec.initContainers.exists(c, c.name == 'poller')",
      holds: ({ template, shape }) => shape !== 'single' || !hasPreparation(template, 'poller'),
    },
  ]

/** The `spec` of a RunnerPool. */
export const runnerPoolSpec = ruled(plain, [
  ...poolRules,
  {
    at: 'image',
    expected: 'an image for the runner, such as ghcr.io/actions/actions-runner:latest',
    cel: 'has(self.image)',
    holds: ({ image: named }) => named !== undefined,
  },
  {
    at: 'vitals',
    expected: 'a command with it, next to which they are started',
    cel: '!has(self.vitals) || !self.vitals || has(self.command)',
    holds: ({ vitals, command }) => !vitals || command !== undefined,
  },
])

export type RunnerPoolSpec = z.output<typeof runnerPoolSpec>
