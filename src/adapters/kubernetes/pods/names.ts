/** Everything of ours on an object starts with it, and nobody else's may. */
export const PREFIX = 'holdfast.dev/'

/** Labels of a runner's pod: whose it is, what it is made from. */
export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  pool: `${PREFIX}pool`,
  runner: `${PREFIX}runner`,
  shape: `${PREFIX}shape`,
  template: `${PREFIX}template`,
} as const

/** Value of `labels.managedBy`. */
export const MANAGER = 'holdfast'

/** Annotations of a runner's pod. The host's id is no label: it may hold what a label's value may not. */
export const annotations = {
  host: `${PREFIX}host`,
  /** Which boot of its node it was when the pod got its job: whoever finds it later sees whether that was rebooted. */
  bootId: `${PREFIX}boot-id`,
} as const

/** What tells those who tidy up nodes to leave a pod alone; on it while it is busy. */
export const busyAnnotations = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
} as const

/** Keeps the pod until its death record is sealed. */
export const EVIDENCE_FINALIZER = `${PREFIX}evidence`

export const containers = {
  /** Finds out before the poller asks whether the runner can start; only in `isolated`, where the plan has a command. */
  check: 'check',
  /** Asks for a job and stages its configuration; only in `isolated`. */
  poller: 'poller',
  /** Runs the job; in `single` it asks for it as well. */
  runner: 'runner',
  /** A Docker daemon beside the runner. */
  dind: 'dind',
  /** Gives the Docker daemon the runner's own tools, which it mounts into the containers of a job. */
  externals: 'externals',
} as const

export const volumes = {
  token: 'holdfast-token',
  jit: 'holdfast-jit',
  /** The others only with a Docker daemon. A template may say what they are made of. */
  work: 'work',
  docker: 'docker',
  dockerData: 'docker-data',
  externals: 'externals',
} as const

/** A token for this audience proves to Holdfast which pod asks, and opens nothing else. */
export const TOKEN_AUDIENCE = 'holdfast'

export const paths = {
  token: '/var/run/holdfast/token',
  jit: '/holdfast/jit',
  jitFile: '/holdfast/jit/jitconfig',
  launcher: '/holdfast/jit/run',
  poller: '/holdfast/poller.sh',
  docker: '/holdfast/docker',
  dockerData: '/var/lib/docker',
  /** As the runner of GitHub has them; a job's containers get them mounted from the same paths of the daemon. */
  work: '/home/runner/_work',
  externals: '/home/runner/externals',
  externalsCopy: '/holdfast/externals',
} as const

/** Names of variables that say what only Holdfast knows. */
export const ENV_PREFIX = 'HOLDFAST_'

/** What the poller ends with where it was told to leave: the pod fails before the runner starts. */
export const POLLER_LEFT_EXIT_CODE = 10
