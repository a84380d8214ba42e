import type { HostJudgement } from './judge.ts'

/** The next thing to do on a host. */
export interface NextStep {
  /** `none`: it takes jobs and is in order. `person`: nothing that a command may do. */
  readonly kind: 'none' | 'look-again' | 'drain' | 'remediate' | 'start' | 'person'
  readonly why: string
  /** The words after `holdfast`, without the contract file; null where a person acts. */
  readonly command: string | null
}

/** From the judgement of a host to its next step: drain what is contaminated, treat one folder, start what is in order. */
export function nextStep({ host, verdict, folders, processes, unjudged }: HostJudgement): NextStep {
  const isRunning = processes.some(({ role }) => role === 'listener')
  const blocked = folders.filter((each) => each.isRepository && each.verdict === 'contaminated')
  const reason = unjudged[0]?.why ?? 'it could not be judged'
  switch (verdict) {
    case 'unreachable':
      return { kind: 'person', why: reason, command: null }
    case 'in-use':
      return step(
        'look-again',
        'a job may be running: nothing there is judged or touched',
        `workdir audit ${host.name}`,
      )
    case 'unknown':
      return step('look-again', reason, `workdir audit ${host.name}`)
    case 'contaminated': {
      const [first, ...more] = blocked
      if (first === undefined)
        return { kind: 'person', why: 'a folder of the runner itself cannot be emptied', command: null }
      const names = blocked.map(({ name }) => name).join(', ')
      if (isRunning) return drain(host, `${names} cannot be emptied, and it takes jobs`)
      if (more.length > 0)
        return { kind: 'person', why: `${names} cannot be emptied: replace the host`, command: null }
      return step(
        'remediate',
        `${names} cannot be emptied, and it is drained`,
        `workdir remediate ${host.name} ${first.name}`,
      )
    }
    default: {
      if (isRunning)
        return { kind: 'none', why: `it takes jobs, and its folders are ${verdict}`, command: null }
      const why = `it is drained, and its folders are ${verdict}`
      return host.service === null
        ? byHand(`${why}: start it`)
        : step('start', why, `host start ${host.name}`)
    }
  }
}

function drain({ name, service }: HostJudgement['host'], why: string): NextStep {
  return service === null
    ? byHand(`${why}: stop it while it is idle`)
    : step('drain', why, `host drain ${name}`)
}

function byHand(why: string): NextStep {
  return { kind: 'person', why: `${why} (its service is not declared)`, command: null }
}

function step(kind: NextStep['kind'], why: string, command: string): NextStep {
  return { kind, why, command }
}
