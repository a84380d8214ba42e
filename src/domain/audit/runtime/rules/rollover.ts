import type { RunnerFact, RunnerSetFact, ScaleSetFact } from '../../../snapshot/index.ts'
import type { Finding, FindingEvidence, NextAction, Severity } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { counted, found, logged, namesOf, person, type Ruling, read } from '../found.ts'
import { differsFromSpec } from '../generation.ts'
import { type HeldRollover, heldRollover } from '../held-rollover.ts'
import { forgeEvidence, freeOf, notBusy } from '../occupation.ts'
import { reaping } from '../reapable.ts'
import type { FleetView, SetView } from '../view.ts'

/** Rollovers that wait for ever, and runners that keep a listener from coming back. */
export function judgeRollovers(fleet: FleetView): Ruling {
  return {
    findings: fleet.sets.flatMap((view) => {
      const held = heldRollover(view, fleet)
      if (held === null) return []
      return held.class === 'rollover-deadlock' ? deadlock(view, held, fleet) : blocker(view, held, fleet)
    }),
  }
}

function deadlock(view: SetView, { newest }: HeldRollover, fleet: FleetView): Finding {
  const { set, holders } = view
  const idle = notBusy(holders, view, fleet)
  const isSeen = differsFromSpec(newest.images, set) || fleet.logs.trace('rollover-held', set) !== null
  return found({
    class: 'rollover-deadlock',
    severity: idle.length > 0 ? 'critical' : busySeverity(set),
    subject: subjectOf('scale-set', set),
    confidence: freeOf(idle, view, fleet).length > 0 && isSeen ? 'proven' : 'likely',
    summary: deadlockSummary(view, newest, idle),
    evidence: waitingEvidence(view, newest, idle, fleet),
    next: set.isSingleSetLayout ? afterSingleSet(view, fleet) : afterGenerations(view, idle, fleet),
  })
}

/** With jobs in all of them nothing is lost yet; where one set is patched, idle runners will follow. */
function busySeverity({ isSingleSetLayout }: ScaleSetFact): Severity {
  return isSingleSetLayout ? 'warning' : 'notice'
}

function deadlockSummary(
  { set, holders }: SetView,
  newest: RunnerSetFact,
  idle: readonly RunnerFact[],
): string {
  if (idle.length > 0) {
    return `The rollover of ${set.name} does not end: its listener is gone, and ARC waits for ${counted(idle.length, 'runner')} that nothing ends.`
  }
  return set.isSingleSetLayout
    ? `The rollover of ${set.name} will not end: ${newest.replicas} replicas are still wanted, and idle runners of the old spec will follow the ${holders.length} busy ones.`
    : `The rollover of ${set.name} waits for ${counted(holders.length, 'runner')} with jobs that only the forge knows of.`
}

/** A runner of the old spec that is deleted here is made again from it: only the whole set of runners can go. */
function afterSingleSet(view: SetView, fleet: FleetView): NextAction {
  if (freeOf(view.holders, view, fleet).length < view.holders.length) return askForge
  return person(
    `The forge calls every runner free. Once no pod of them has a Runner.Worker process, the EphemeralRunnerSet ${view.newest?.name} may be deleted, so that ARC makes one of the new spec.`,
  )
}

function afterGenerations(view: SetView, idle: readonly RunnerFact[], fleet: FleetView): NextAction {
  const free = freeOf(idle, view, fleet)
  return free.length === 0 ? askForge : reaping('The free runners of the old spec may go.', free, fleet)
}

const askForge = read(
  'Ask the forge which of these runners are busy (a forge credential, or --github-runners-json and --github-jobs-json): without a listener nothing else knows.',
  'holdfast audit runtime',
)

function blocker(view: SetView, { newest }: HeldRollover, fleet: FleetView): Finding {
  const { set } = view
  const idle = notBusy(view.holders, view, fleet)
  const areFree = freeOf(view.holders, view, fleet).length === view.holders.length
  return found({
    class: 'stale-idle-listener-blocker',
    severity: idle.length > 0 ? 'critical' : 'notice',
    subject: subjectOf('scale-set', set),
    confidence: areFree && fleet.logs.trace('rollover-held', set) !== null ? 'proven' : 'likely',
    summary: `${set.name} has no listener, and ARC makes none while it has ${counted(idle.length, 'runner')} without a job.`,
    evidence: waitingEvidence(view, newest, idle, fleet),
    next: areFree
      ? person(
          `The forge calls every runner free. Once no pod of them has a Runner.Worker process, the EphemeralRunnerSet ${newest.name} may be deleted.`,
        )
      : askForge,
  })
}

function waitingEvidence(
  { set, holders, generations }: SetView,
  newest: RunnerSetFact,
  idle: readonly RunnerFact[],
  fleet: FleetView,
): readonly (FindingEvidence | null)[] {
  const { cluster } = fleet.snapshot
  const layout = set.isSingleSetLayout
    ? 'one set, patched in place'
    : counted(generations.length, 'generation')
  const declared = set.template.containers[0]
  const present = declared === undefined ? undefined : newest.images[declared.name]
  const images =
    declared === undefined || present === undefined || present === declared.image
      ? ''
      : `; declared image ${declared.image}, runners have ${present}`
  return [
    evidenceOf(cluster.listeners, `no AutoscalingListener; phase of the set ${set.phase ?? 'unknown'}`),
    evidenceOf(cluster.runnerSets, `${layout}; ${newest.name} wants ${newest.replicas} replicas${images}`),
    evidenceOf(
      cluster.runners,
      `${counted(holders.length, 'runner')}; not known to be busy: ${namesOf(idle)}`,
    ),
    forgeEvidence(holders, fleet),
    logged(fleet.logs.trace('rollover-held', set)),
  ]
}
