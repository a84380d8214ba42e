import { durationText } from '../../../format.ts'
import type { PodFact } from '../../../snapshot/index.ts'
import type { Finding, FindingEvidence } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { counted, found, logged, person, type Ruling } from '../found.ts'
import { kindsOf } from '../listener.ts'
import { podOf, runnerEnd } from '../pod-end.ts'
import { runnerImage } from '../runner-image.ts'
import { ageMs, type FleetView, type SetView, saysOutdated } from '../view.ts'

/** The exit code with which the runner says that its version is refused. */
const refusedExitCode = 7

/** A set is taken down and made again at once: the second time is a loop. */
const loopMin = 2

/** Sets whose runners the forge refuses: each release of ARC shows it in another way. */
export function judgeOutdated(fleet: FleetView): Ruling {
  return { findings: fleet.sets.flatMap((view) => judgeSet(view, fleet) ?? []) }
}

function judgeSet(view: SetView, fleet: FleetView): Finding | null {
  const { set } = view
  const ends = view.runners.flatMap((runner) => {
    const pod = podOf(runner, fleet)
    return pod !== undefined && runnerEnd(pod)?.exitCode === refusedExitCode ? [pod] : []
  })
  const log = fleet.logs.trace('set-outdated', set)
  const isSaid = saysOutdated(view)
  const isLoop = (log?.count ?? 0) >= loopMin
  if (!isSaid && !isLoop && ends.length === 0) return null
  return found({
    class: 'outdated',
    severity: 'critical',
    subject: subjectOf('scale-set', set),
    confidence: isSaid || isLoop ? 'proven' : 'likely',
    summary: `The forge refuses the runner version of ${set.name}: ${effectOf(view)}.`,
    evidence: [
      evidenceOf(fleet.snapshot.cluster.scaleSets, `runner image ${runnerImage(set) ?? 'unknown'}`),
      ...objectEvidence(view, fleet),
      exitEvidence(ends, fleet),
      logged(log),
    ],
    next: person(
      'Put a newer runner image into the set’s own source and apply it: ARC leaves this state only by a new spec.',
    ),
  })
}

function effectOf({ set }: SetView): string {
  if (set.isSingleSetLayout)
    return 'ARC deletes its runners and listener and makes them again with the same image'
  if (set.phase === 'Outdated') return 'ARC took its runners and listener down and stays so'
  return 'its runners end with exit code 7, and this release of ARC takes that for any other failure'
}

function objectEvidence(view: SetView, fleet: FleetView): readonly FindingEvidence[] {
  const { set, generations, runners, holders } = view
  const { scaleSets, runnerSets } = fleet.snapshot.cluster
  const number =
    set.forgeScaleSetId === null ? 'no longer registered at the forge' : 'registered at the forge'
  const reported = set.reportedRunners ?? 0
  const ghosts =
    reported > holders.length
      ? `; it reports ${counted(reported, 'runner')}, and there are ${holders.length}`
      : ''
  const outdated = [...generations, ...runners].filter(({ phase }) => phase === 'Outdated').length
  const ages = generations.map((each) => durationText(ageMs(each, fleet.now))).join(', ')
  return [
    evidenceOf(
      scaleSets,
      `phase of the set ${set.phase ?? 'unknown'}, ${number}, listener ${kindsOf(view.listeners)}${ghosts}`,
    ),
    evidenceOf(
      runnerSets,
      `the set is ${durationText(ageMs(set, fleet.now))} old, its generations ${ages === '' ? 'are gone' : ages}; ${outdated} of its objects say Outdated`,
    ),
  ]
}

function exitEvidence(pods: readonly PodFact[], fleet: FleetView): FindingEvidence | null {
  const [pod] = pods
  if (pod === undefined) return null
  const at = runnerEnd(pod)?.finishedAt ?? null
  return evidenceOf(
    fleet.snapshot.cluster.pods,
    `${counted(pods.length, 'runner')} ended with exit code ${refusedExitCode}, one is ${pod.name}`,
    at,
  )
}
