/** Facts about this machine before the first runner. */
export interface IsolationFacts {
  /** The user that Holdfast runs as. */
  readonly uid: number
  /** `off`: the settings switch it off. */
  readonly wanted: 'auto' | 'off'
  /** The user that all runners are to be (`runners.runAs`); null: each is to be another. */
  readonly runAs: string | null
  /** Why runners cannot have other users than Holdfast here; null where they can. */
  readonly impossible: string | null
  /** A forge whose jobs strangers may write; the simulated one runs what its user submits. */
  readonly isRealForge: boolean
  /** Root without users for runners was allowed by name. */
  readonly rootAllowed: boolean
}

export interface IsolationReport {
  /**
   * `own-users`: each runner is a user of its own. `one-user`: all are one user, which Holdfast is not. `none`: runners are
   * the user that Holdfast is.
   */
  readonly level: 'own-users' | 'one-user' | 'none'
  /** For the log, the greeting, the status page and `doctor`. */
  readonly sentence: string
  /** A hint for the operator; null where nothing is to do. */
  readonly todo: string | null
  /** Whether Holdfast must not start like this. */
  readonly isRefused: boolean
}

const root = 0

/** The separation of local runners from Holdfast and from each other on this machine, and whether it suffices. */
export function isolationReport(facts: IsolationFacts): IsolationReport {
  const { uid, wanted, runAs, impossible, isRealForge, rootAllowed } = facts
  if (uid !== root) {
    return {
      level: 'none',
      sentence: `Local runners are not isolated: jobs run as Holdfast's own user (${uid}), and can read and end what is its.${runAs === null ? '' : ' runners.runAs has no effect without root.'}`,
      todo: 'Run Holdfast as root, so that each runner gets a user of its own; or run only jobs that you trust.',
      isRefused: false,
    }
  }
  if (runAs !== null && impossible === null) {
    return {
      level: 'one-user',
      sentence: `Local runners are all the user ${runAs}: apart from Holdfast, and not from each other. A job can read, end and imitate those next to it, and leave files and processes for those after it.`,
      todo: 'Without runners.runAs each runner is a user of its own; else run only jobs that may do that to each other.',
      isRefused: false,
    }
  }
  if (wanted === 'auto' && impossible === null) {
    return {
      level: 'own-users',
      sentence: 'Each local runner is a user of its own, apart from Holdfast and from other runners.',
      todo: null,
      isRefused: false,
    }
  }
  const why = wanted === 'off' && runAs === null ? 'runners.isolation is off' : impossible
  return {
    level: 'none',
    sentence: `Local runners are not isolated, and jobs run as root: ${why}.`,
    todo: 'Put that right, or run Holdfast as another user; --allow-root-runners starts it all the same.',
    // Where the settings name a user, jobs must not be root instead, whatever the forge.
    isRefused: (isRealForge || runAs !== null) && !rootAllowed,
  }
}
