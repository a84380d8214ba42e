/** Everything of ours on an object starts with it, and nobody else's may. */
export const prefix = 'holdfast.dev/'

/** Labels of a runner's pod: whose it is, what it is made from. */
export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  pool: `${prefix}pool`,
  runner: `${prefix}runner`,
  shape: `${prefix}shape`,
  template: `${prefix}template`,
} as const

/** Value of `labels.managedBy`. */
export const manager = 'holdfast'

/** Annotations of a runner's pod. The host's id is no label: it may hold what a label's value may not. */
export const annotations = {
  host: `${prefix}host`,
  /** The boot of its node when the pod got its job: it shows later whether the node was rebooted. */
  bootId: `${prefix}boot-id`,
} as const

/** The annotations by which autoscalers and deschedulers leave a busy pod alone. */
export const busyAnnotations = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
} as const

/** Keeps the pod until its death record is sealed. */
export const evidenceFinalizer = `${prefix}evidence`

export const containers = {
  /** Finds out before the poller asks whether the runner can start; only in `isolated`, where the plan has a command. */
  check: 'check',
  /** Asks for a job and stages its configuration; only in `isolated`. */
  poller: 'poller',
  /** Runs the job; in `single` it asks for it as well. */
  runner: 'runner',
  /** A Docker daemon next to the runner. */
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
export const tokenAudience = 'holdfast'

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
export const envPrefix = 'HOLDFAST_'
