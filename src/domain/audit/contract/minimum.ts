import type { ScaleSetFact } from '../../snapshot/index.ts'
import { compareVersions, imageTag } from '../../version.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, subjectOf } from '../judging.ts'
import { runnerBelowMinimum } from './classes.ts'
import type { Contract } from './contract.ts'

/** Scale sets whose runner image is older than the contract's minimum. A tag without an order is not compared. */
export function belowMinimum(
  { minimumRunnerVersion: minimum, file }: Contract,
  { snapshot }: AuditInput,
): Finding[] {
  if (minimum === null) return []
  const { scaleSets } = snapshot.cluster
  return scaleSets.items.flatMap((set) => {
    const image = runnerImage(set)
    const tag = image === null ? null : imageTag(image)
    const order = tag === null ? null : compareVersions(tag, minimum)
    if (order === null || order >= 0) return []
    return findingOf(runnerBelowMinimum, {
      severity: 'warning',
      subject: subjectOf('scale-set', set),
      confidence: 'proven',
      summary: `Scale set ${keyOf(set)} runs ${tag}; ${file} asks for ${minimum} or newer.`,
      evidence: [evidenceOf(scaleSets, `image of its runner container: ${image}`)],
      nextAllowedAction: {
        kind: 'person',
        text: 'Raise the image in its source, and apply it to one scale set first.',
        command: null,
      },
    })
  })
}

function runnerImage({ template }: ScaleSetFact): string | null {
  return template.containers.find(({ name }) => name === 'runner')?.image ?? null
}
