/** What is known of this machine before the first runner. */
export interface IsolationFacts {
  /** The user that Holdfast runs as. */
  readonly uid: number
  /** `off`: somebody does not want it. */
  readonly wanted: 'auto' | 'off'
  /** Why runners cannot have users of their own here; null where they can. */
  readonly impossible: string | null
  /** A forge whose jobs strangers may write; the simulated one runs what its user submits. */
  readonly isRealForge: boolean
  /** Root without users for runners was allowed by name. */
  readonly rootAllowed: boolean
}

export interface IsolationReport {
  /** `own-users`: each runner is a user of its own. `none`: runners are the user that Holdfast is. */
  readonly level: 'own-users' | 'none'
  /** For the log, the greeting, the status page and `doctor`. */
  readonly sentence: string
  /** What a person can do about it; null where nothing is to do. */
  readonly todo: string | null
  /** Whether it must not start like this. */
  readonly isRefused: boolean
}

const ROOT = 0

/** What separates local runners from Holdfast and from each other on this machine, and whether that will do. */
export function isolationReport(facts: IsolationFacts): IsolationReport {
  const { uid, wanted, impossible, isRealForge, rootAllowed } = facts
  if (uid !== ROOT) {
    return {
      level: 'none',
      sentence: `Local runners are not isolated: jobs run as Holdfast's own user (${uid}), and can read and end what is its.`,
      todo: 'Run Holdfast as root, so that each runner gets a user of its own; or run only jobs that you trust.',
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
  const why = wanted === 'off' ? 'runners.isolation is off' : impossible
  return {
    level: 'none',
    sentence: `Local runners are not isolated, and jobs run as root: ${why}.`,
    todo: 'Put that right, or run Holdfast as another user; --allow-root-runners starts it all the same.',
    isRefused: isRealForge && !rootAllowed,
  }
}
