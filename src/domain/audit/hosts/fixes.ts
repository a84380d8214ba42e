import type { Snapshot } from '../../snapshot/index.ts'
import { imageRepository } from '../../version.ts'
import type { AuditInput } from '../audit.ts'
import type { KnownFix } from '../contract/contract.ts'
import type { Finding, FindingEvidence, Unjudged } from '../finding.ts'
import { evidenceOf, findingOf, type Judged, someOf, unjudgedBy } from '../judging.ts'
import { fixNotDeployed } from './classes.ts'
import { type FixJudgement, judgeFix } from './has-fix.ts'
import { type ImageInUse, imagesInUse } from './images.ts'

/** Images in use that predate a fix of the contract's table. */
export function judgeFixes({ snapshot, contract }: AuditInput): Judged {
  if (contract === null || contract.fixes.length === 0) return { findings: [], unjudged: [] }
  const { pods, deployments, listeners, scaleSets } = snapshot.cluster
  const byRepository = Map.groupBy(imagesInUse(snapshot), ({ image }) => imageRepository(image))
  const uses = contract.fixes.flatMap((fix) =>
    (byRepository.get(fix.image) ?? []).map((use) => ({ fix, use, judgement: judgeFix(fix, use, contract) })),
  )
  return {
    findings: uses
      .filter(({ judgement }) => judgement.has === false)
      .map((each) => toFinding(each, snapshot)),
    unjudged: [
      ...uses.filter(({ judgement }) => judgement.has === null).map(({ fix, use }) => unordered(fix, use)),
      ...[pods, deployments, listeners, scaleSets].flatMap((listing) =>
        unjudgedBy([fixNotDeployed], listing),
      ),
    ],
  }
}

/** No API of a cluster shows the labels of an image: somebody has to give them. */
function unordered({ name, fixedIn }: KnownFix, { image, digests }: ImageInUse): Unjudged {
  const [digest] = digests
  const exact = digest === undefined ? image : `${imageRepository(image)}@${digest}`
  return {
    class: fixNotDeployed.name,
    why: `whether ${image} is older than ${fixedIn} cannot be read from its tag, and the cluster does not show its labels (fix "${name}")`,
    needs: `its labels under \`images\` in the contract (skopeo inspect docker://${exact}), or its tag or commit in the fix's list \`without\``,
  }
}

interface JudgedUse {
  readonly fix: KnownFix
  readonly use: ImageInUse
  readonly judgement: FixJudgement
}

function toFinding({ fix, use, judgement }: JudgedUse, snapshot: Snapshot): Finding {
  const { image, users, digests } = use
  const { pods } = snapshot.cluster
  const seen = symptomEvidence(fix, snapshot)
  return findingOf(fixNotDeployed, {
    severity: seen.length > 0 ? 'critical' : 'warning',
    subject: { kind: 'image', namespace: null, name: image },
    confidence: judgement.isCertain ? 'proven' : 'likely',
    summary: `${image} predates the fix "${fix.name}", which is in ${fix.fixedIn}${seen.length > 0 ? ', and its symptom is there' : ''}.`,
    evidence: [
      evidenceOf(pods, `in use by ${someOf(users)}`),
      ...judgement.signs.map(({ source, text }) => ({
        source,
        at: source === 'file' ? null : pods.at,
        text,
      })),
      ...(digests.length === 0 ? [] : [evidenceOf(pods, `what runs is ${someOf(digests)}`)]),
      ...seen,
    ],
    nextAllowedAction: {
      kind: 'person',
      text: `Raise the image to ${fix.fixedIn} or newer in its source, and see that what runs afterwards has it.`,
      command: null,
    },
  })
}

const shownMax = 1
const textCharsMax = 300

/** The newest proof that the failure happens now, wherever it is printed. */
function symptomEvidence({ symptom }: KnownFix, { cluster }: Snapshot): FindingEvidence[] {
  const { events, machines, logs } = cluster
  const cut = (text: string) => text.slice(0, textCharsMax)
  return [
    ...events.items
      .filter(({ message }) => message.includes(symptom))
      .map(({ message, lastAt }) => evidenceOf(events, cut(message), lastAt)),
    ...machines.items.flatMap(({ name, conditions }) =>
      conditions
        .filter(({ message }) => message?.includes(symptom))
        .map(({ message, at }) => evidenceOf(machines, cut(`${name}: ${message}`), at)),
    ),
    ...logs.items.flatMap(({ lines }) =>
      lines.filter((line) => line.includes(symptom)).map((line) => evidenceOf(logs, cut(line))),
    ),
  ].slice(0, shownMax)
}
