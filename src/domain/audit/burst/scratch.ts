import { counted } from '../../format.ts'
import type { ClaimFact, PodFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import { type DeclaredLane, placeText } from '../contract/contract.ts'
import type { Finding, Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { laneFinder } from '../lane-of-set.ts'
import { scratchRegression } from './classes.ts'

type Needed = DeclaredLane['volumes'][number]
type Claims = ReadonlyMap<string, ClaimFact>

/** A volume of the lane that a pod of the set does not have. `unknown`: the claim that would say it was not read. */
interface Lack {
  readonly pod: PodFact
  readonly needed: Needed
  readonly standing: 'missing' | 'unknown'
}

export interface LostScratch {
  readonly findings: readonly Finding[]
  readonly unjudged: readonly Unjudged[]
}

/** Sets with pods that lack a volume of the class that their lane declares. Without a contract nothing is declared. */
export function lostScratch(input: AuditInput): LostScratch {
  const laneOf = laneFinder(input.contract)
  const claims = new Map(input.snapshot.cluster.claims.items.map((claim) => [keyOf(claim), claim]))
  const findings: Finding[] = []
  let unknown = 0
  for (const set of input.snapshot.cluster.scaleSets.items) {
    const lane = laneOf(set)
    if (lane === null || lane.volumes.length === 0) continue
    const lacks = livePods(input, set).flatMap((pod) => lacksOf(pod, lane, claims))
    const missing = lacks.filter(({ standing }) => standing === 'missing')
    unknown += lacks.length - missing.length
    if (missing.length > 0) findings.push(scratchFinding(input, set, lane, missing))
  }
  return { findings, unjudged: unknown === 0 ? [] : [claimsNeeded(unknown)] }
}

function livePods({ joins }: AuditInput, set: ScaleSetFact): readonly PodFact[] {
  return (joins.runnersBySet.get(keyOf(set)) ?? []).flatMap((runner) => {
    const pod = joins.podByKey.get(keyOf(runner))
    return pod === undefined || pod.phase === 'Succeeded' || pod.phase === 'Failed' ? [] : [pod]
  })
}

function lacksOf(pod: PodFact, { volumes }: DeclaredLane, claims: Claims): readonly Lack[] {
  return volumes.flatMap((needed) => {
    const standing = standingOf(pod, needed, claims)
    return standing === 'there' ? [] : [{ pod, needed, standing }]
  })
}

function standingOf(
  pod: PodFact,
  { mountPath, storageClass }: Needed,
  claims: Claims,
): Lack['standing'] | 'there' {
  const volume = pod.volumes.find(({ mountPaths }) => mountPaths.includes(mountPath))
  if (volume === undefined) return 'missing'
  if (storageClass === null) return 'there'
  if (volume.kind !== 'claim' && volume.kind !== 'ephemeral-claim') return 'missing'
  const claim = claims.get(keyOf({ namespace: pod.namespace, name: volume.claim ?? '' }))
  const actual = volume.storageClass ?? claim?.storageClass ?? null
  if (actual === null) return 'unknown'
  return actual === storageClass ? 'there' : 'missing'
}

function scratchFinding(
  { snapshot }: AuditInput,
  set: ScaleSetFact,
  lane: DeclaredLane,
  lacks: readonly Lack[],
): Finding {
  const pods = [...new Set(lacks.map(({ pod }) => pod.name))]
  const volumes = [...new Set(lacks.map(({ needed }) => volumeWords(needed)))]
  const place = placeText(lane, 'volumes')
  return findingOf(scratchRegression, {
    severity: 'warning',
    subject: subjectOf('scale-set', set),
    confidence: 'proven',
    summary: `Scratch volumes of the lane ${lane.label} are missing in ${counted(pods.length, 'pod')} of ${set.name}.`,
    evidence: [
      evidenceOf(snapshot.cluster.pods, `missing: ${someOf(volumes)}; in ${someOf(pods)}`),
      {
        source: 'file',
        at: null,
        text: `declared${place === null ? '' : ` at ${place}`}: ${someOf(volumes)}`,
      },
    ],
    nextAllowedAction: {
      kind: 'person',
      text: 'Put the volumes back into the template of the scale set, in its source, before jobs are run again.',
      command: null,
    },
  })
}

function volumeWords({ mountPath, storageClass }: Needed): string {
  return storageClass === null ? mountPath : `${mountPath} of class ${storageClass}`
}

function claimsNeeded(count: number): Unjudged {
  return {
    class: scratchRegression.name,
    why: `the storage class of ${count} volumes is not known`,
    needs: 'list persistentvolumeclaims',
  }
}
