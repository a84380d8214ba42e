import type { Instant } from '../../../time.ts'
import { compareVersions } from '../../../version.ts'
import type { Finding, Unjudged } from '../../finding.ts'
import { evidenceOf, subjectOf } from '../../judging.ts'
import { versionHorizonMs } from '../bounds.ts'
import { counted, found, namesOf, person, type Ruling } from '../found.ts'
import { holdsAt, type MinimumVersion, minimumVersions } from '../minimum-versions.ts'
import { forgeRunnerOf } from '../occupation.ts'
import { runnerImage, versionOfImage } from '../runner-image.ts'
import type { FleetView, SetView } from '../view.ts'

/** Runner versions that the forge refuses by now or soon, by the announcements and refusals that are known. */
export function judgeVersions(fleet: FleetView): Ruling {
  const judged = fleet.sets.map((view) => ({
    view,
    versions: holdsAt(view.set.configUrl) ? versionsOf(view, fleet) : [],
  }))
  const unknown = judged.filter(({ versions }) => versions.length === 0)
  return {
    findings: judged.flatMap(({ view, versions }) =>
      refusalsOf(versions, fleet.now).map((refusal) => refused(view, refusal, fleet)),
    ),
    unjudged: unknown.length === 0 ? [] : unjudgedOf(unknown.map(({ view }) => view)),
  }
}

/** Newer forges list a runner's version; the tag of the image says it too. */
function versionsOf(view: SetView, fleet: FleetView): readonly string[] {
  const byForge = view.runners.map((runner) => forgeRunnerOf(runner, fleet)?.version ?? null)
  const byImage = versionOfImage(runnerImage(view.set) ?? '')
  return [...new Set([...byForge, byImage])].filter((version) => version !== null)
}

interface Refusal {
  readonly version: string
  readonly minimum: MinimumVersion
  readonly isNow: boolean
}

/** The oldest version that is refused now, and the oldest of those that will be. */
function refusalsOf(versions: readonly string[], now: Instant): readonly Refusal[] {
  const refusals = versions
    .toSorted((a, b) => compareVersions(a, b) ?? 0)
    .flatMap((version) => {
      const [minimum] = minimumVersions
        .filter(({ version: least }) => (compareVersions(version, least) ?? 0) < 0)
        .toSorted((a, b) => a.from - b.from)
      if (minimum === undefined || minimum.from > now + versionHorizonMs) return []
      return [{ version, minimum, isNow: minimum.from <= now }]
    })
  return [refusals.find(({ isNow }) => isNow), refusals.find(({ isNow }) => !isNow)].filter(
    (refusal) => refusal !== undefined,
  )
}

function refused({ set }: SetView, { version, minimum, isNow }: Refusal, { snapshot }: FleetView): Finding {
  const date = new Date(minimum.from).toISOString().slice(0, 10)
  const effect = minimum.refuses === 'jobs' ? 'gets no jobs' : 'cannot register'
  return found({
    class: isNow ? 'runner-version-refused-now' : 'runner-version-refused-soon',
    severity: isNow ? 'critical' : 'warning',
    subject: subjectOf('scale-set', set),
    confidence: 'likely',
    summary: `Runners of ${set.name} have version ${version}: from ${date} on a runner older than ${minimum.version} ${effect}.`,
    evidence: [
      evidenceOf(snapshot.cluster.scaleSets, `runner image ${runnerImage(set) ?? 'unknown'}`),
      {
        source: 'file',
        at: minimum.from,
        text: `minimum ${minimum.version} from ${date} on: ${minimum.source}`,
      },
    ],
    next: person('Put a newer runner image into the set’s own source and apply it.'),
  })
}

function unjudgedOf(views: readonly SetView[]): readonly Unjudged[] {
  const names = namesOf(views.map(({ set }) => set))
  const why = `of ${counted(views.length, 'set')} the runner’s version, or the minimum of the forge, is not known: ${names}`
  const needs = 'an image whose tag is the runner’s version, or a minimum in the contract for audit contract'
  return [
    { class: 'runner-version-refused-now', why, needs },
    { class: 'runner-version-refused-soon', why, needs },
  ]
}
