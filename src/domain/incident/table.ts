export interface IncidentEntry {
  /** The problem in one line. */
  readonly title: string
  /** The remedy for a person. */
  readonly todo: string
  /** Whether a successful mint proves that it is over. */
  readonly isLiftedByMint: boolean
}

/** Problems that only a person can resolve; docs/reference/incidents.md is generated from the table. */
export const incidentTable = {
  'credentials-refused': {
    title: 'The forge does not accept our credentials.',
    todo: 'Replace the token or the private key in the settings (forge.token, forge.app); it is read again without a restart.',
    isLiftedByMint: true,
  },
  'installation-suspended': {
    title: 'The App is suspended for this account, or no longer installed.',
    todo: "Unsuspend or install it again in the account's settings under GitHub Apps.",
    isLiftedByMint: true,
  },
  'ip-not-allowed': {
    title: "The organisation's IP allow list does not hold our address.",
    todo: "Add Holdfast's public address to the allow list, or allow the addresses that the App names.",
    isLiftedByMint: true,
  },
  'repository-not-covered': {
    title: 'The repository is outside of what our credentials may see or manage.',
    todo: 'Add the repository to the App installation (or to the token), with the permission to administer self-hosted runners.',
    isLiftedByMint: true,
  },
  'runners-disabled': {
    title: 'Self-hosted runners are disabled at the level of the repository.',
    todo: 'Allow them in the organisation under Actions, Runners; or set forge.scope to organisation.',
    isLiftedByMint: true,
  },
  'actions-disabled': {
    title: 'Actions are disabled in this repository.',
    todo: "Enable them in the repository's settings under Actions, General.",
    isLiftedByMint: true,
  },
  'runner-group-full': {
    title: 'The runner group holds as many runners as the forge allows.',
    todo: "Remove runners that are offline from the group, or name another in forge.runnerGroup or the pool's runnerGroup.",
    isLiftedByMint: true,
  },
  'runner-group-unknown': {
    title: 'The runner group of the settings, or of a pool, does not exist.',
    todo: "Make the group at the forge, or correct forge.runnerGroup or the pool's runnerGroup.",
    isLiftedByMint: true,
  },
  'runner-group-unsupported': {
    title: 'A pool names a runner group, but its runners are registered where there are none.',
    todo: "Remove the pool's runnerGroup, or register runners at an organisation of GitHub (forge.scope).",
    isLiftedByMint: true,
  },
  'runner-group-excludes': {
    title: 'The runner group does not serve this repository: its jobs would never reach a runner of ours.',
    todo: "Give the repository access to the group, or name another in forge.runnerGroup or the pool's runnerGroup.",
    isLiftedByMint: false,
  },
  'host-lost': {
    title: 'A machine or cluster that runs runners has stopped sending heartbeats.',
    todo: 'Start Holdfast there again, or take it for gone: its runners are given up once they are offline at the forge (holdfast hosts).',
    isLiftedByMint: false,
  },
  'look-failed': {
    title:
      'Recovery cannot look at a job, an attempt or a runner: it is tried again and again, and all others go on.',
    todo: 'Read the reason: a row that a newer version wrote needs that version; for any other error see the log (holdfast_looks_failed_total) and report it.',
    isLiftedByMint: false,
  },
  'recovery-bound': {
    title:
      'Recovery would stop, fence or give up more runners than is allowed in an hour: what is over the bound is held back.',
    todo: 'See what it goes by (holdfast job of a job that is held, holdfast explain of a runner, holdfast hosts). If the forge or the cluster answers wrongly, repair that; the held runners go on. If they are really gone, raise recovery.boundsFactor and restart; 0 holds back everything of the kind.',
    isLiftedByMint: false,
  },
  'runners-not-starting': {
    title: 'A pool gets no runners going.',
    todo: 'Do what the reason says at its end; the pool, its quota, its image or its nodes are put right outside of Holdfast.',
    isLiftedByMint: false,
  },
  'pool-invalid': {
    title: 'A RunnerPool cannot be used as it is written, and stays as it was before, or out of use.',
    todo: 'Correct the spec as the reason says (kubectl edit runnerpool).',
    isLiftedByMint: false,
  },
  'jobs-quarantined': {
    title: 'Jobs are quarantined: they failed so often that they are not tried again by themselves.',
    todo: 'Read why (holdfast jobs --state quarantined, holdfast why <job>), put it right, then let each go on: holdfast release <job>.',
    isLiftedByMint: false,
  },
  'disk-low': {
    title: 'The disk that holds the ledger has little room left.',
    todo: 'Free space there, or move the data folder (HOLDFAST_DATA_DIR) to a larger disk, before it is full.',
    isLiftedByMint: false,
  },
  'disk-full': {
    title:
      'The disk that holds the ledger is full: no webhook is taken, and what is under way goes on only while the reserve lasts.',
    todo: 'Free space there, or move the data folder (HOLDFAST_DATA_DIR) to a larger disk. Holdfast goes on by itself within seconds, and fetches what it did not take.',
    isLiftedByMint: false,
  },
  'namespace-terminating': {
    title: 'The namespace of the runners is being deleted: nothing can be made there any more.',
    todo: 'Records are sealed and finalizers taken off as far as rights are left, which may have gone with the namespace: then run holdfast uninstall as somebody who may change pods and RunnerPools there. Declare the pools elsewhere and set fleet.namespace.',
    isLiftedByMint: false,
  },
  'remedy-failing': {
    title: 'The reaper of idle runners does not work: nothing is planned or removed.',
    todo: 'Do what the reason says: rights (deploy/remedy-rbac.yaml), the credential of the forge, or the trail (holdfast trail verify). It is tried again by itself.',
    isLiftedByMint: false,
  },
  'remedy-escalated': {
    title: 'A remedy removed something, and its result is not proven.',
    todo: 'Look at its last steps (holdfast trail list --plan <hash>) and at the scale set. The reaper only observes until this incident is ended.',
    isLiftedByMint: false,
  },
  'deaths-on-node': {
    title: 'Runners end alike on one node, far more often than elsewhere.',
    todo: 'Read the end of one of them (holdfast deaths, holdfast explain); cordon the node until it is repaired.',
    isLiftedByMint: false,
  },
  'deaths-of-image': {
    title: 'Runners of one image end alike, far more often than others.',
    todo: 'Read the end of one of them (holdfast deaths, holdfast explain); go back to the image before it.',
    isLiftedByMint: false,
  },
  'deaths-of-repository': {
    title: 'Runners with jobs of one repository end alike, far more often than others.',
    todo: "Read the end of one of them (holdfast deaths, holdfast explain); see what the repository's workflows changed.",
    isLiftedByMint: false,
  },
  'deaths-of-pool': {
    title: 'Runners of one pool end alike, far more often than others.',
    todo: "Read the end of one of them (holdfast deaths, holdfast explain); see the pool's template, limits and nodes.",
    isLiftedByMint: false,
  },
  'deaths-at-once': {
    title: 'Runners ended alike within a short time, though they share nothing else.',
    todo: 'Read the end of one of them (holdfast deaths, holdfast explain); see what else happened then: network, storage, forge, a rollout.',
    isLiftedByMint: false,
  },
} as const satisfies Record<string, IncidentEntry>

export type IncidentKind = keyof typeof incidentTable
export const incidentKinds = Object.keys(incidentTable) as readonly IncidentKind[]

/** Incidents about common causes of runner deaths, by factor. */
export const deathIncidents = {
  node: 'deaths-on-node',
  image: 'deaths-of-image',
  repository: 'deaths-of-repository',
  pool: 'deaths-of-pool',
  time: 'deaths-at-once',
} as const satisfies Record<string, IncidentKind>

/** Incidents of a pool; their key is its name. */
export const poolIncidents = {
  start: 'runners-not-starting',
  spec: 'pool-invalid',
} as const satisfies Record<string, IncidentKind>
