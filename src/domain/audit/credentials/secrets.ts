import type { SecretFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import {
  evidenceOf,
  findingOf,
  isAbsenceKnown,
  type Judged,
  shortHash,
  someOf,
  subjectOf,
  unjudgedAbsence,
} from '../judging.ts'
import { appSecretBadKey, authSecretNamespaceDrift, credentialMissing } from './classes.ts'
import { appKeys, type Credential, setsText, tokenKey } from './credential.ts'

const nothing: Judged = { findings: [], unjudged: [] }

/** Whether the Secret is there, has the keys that ARC reads, and is the same in both namespaces. */
export function judgeSecret(
  credential: Credential,
  input: AuditInput,
  secretByKey: ReadonlyMap<string, SecretFact>,
): Judged {
  const { secret } = credential
  if (secret === null) return judgeAbsent(credential, input)
  const findings = [...badKeys(credential, secret, input), ...drifts(credential, secret, input, secretByKey)]
  return { findings, unjudged: [] }
}

function judgeAbsent({ ref, sets }: Credential, { snapshot }: AuditInput): Judged {
  const { secrets, scaleSets } = snapshot.cluster
  if (!isAbsenceKnown(secrets, snapshot, ref.namespace))
    return {
      ...nothing,
      unjudged: unjudgedAbsence(
        [credentialMissing, appSecretBadKey, authSecretNamespaceDrift],
        secrets,
        ref.namespace,
      ),
    }
  const finding = findingOf(credentialMissing, {
    severity: 'critical',
    subject: subjectOf('credential', ref),
    confidence: 'proven',
    summary: `There is no Secret ${keyOf(ref)}: ${setsText(sets)} cannot authenticate at GitHub.`,
    evidence: [
      evidenceOf(scaleSets, `named as the credential by ${someOf(sets.map(keyOf))}`),
      evidenceOf(secrets, `Secrets in ${ref.namespace} were read whole, and ${ref.name} is not among them`),
    ],
    nextAllowedAction: {
      kind: 'person',
      text: `Create the Secret where its source is kept, with the keys ${appKeys.join(', ')}, and apply it.`,
      command: null,
    },
  })
  return { ...nothing, findings: [finding] }
}

function badKeys({ ref, kind, sets }: Credential, secret: SecretFact, { snapshot }: AuditInput): Finding[] {
  const names = secret.keys.map(({ name }) => name)
  const missing = appKeys.filter((name) => !names.includes(name))
  if (names.includes(tokenKey) || missing.length === 0) return []
  const isApp = kind === 'app'
  const wrong = names.includes('github_app_pem') ? ' The key github_app_pem is not read by any release.' : ''
  return [
    findingOf(isApp ? appSecretBadKey : credentialMissing, {
      severity: 'critical',
      subject: subjectOf('credential', ref),
      confidence: 'proven',
      summary: isApp
        ? `Secret ${keyOf(ref)} has no ${missing.join(', no ')}: ${setsText(sets)} cannot authenticate.${wrong}`
        : `Secret ${keyOf(ref)} has no key that ARC reads: ${setsText(sets)} cannot authenticate.`,
      evidence: [
        evidenceOf(snapshot.cluster.secrets, `keys of ${keyOf(ref)}: ${names.join(', ') || 'none'}`),
        evidenceOf(snapshot.cluster.scaleSets, `named as the credential by ${someOf(sets.map(keyOf))}`),
      ],
      nextAllowedAction: {
        kind: 'person',
        text: `Rename the keys in the Secret's source to ${appKeys.join(', ')}, and apply it.`,
        command: null,
      },
    }),
  ]
}

/**
 * Copies of the Secret where the listeners of its sets run. ARC itself needs none there, so that an absent copy is
 * healthy; a different one was meant to be the same.
 */
function drifts(
  { ref, sets }: Credential,
  secret: SecretFact,
  { snapshot, joins }: AuditInput,
  secretByKey: ReadonlyMap<string, SecretFact>,
): Finding[] {
  const namespaces = new Set(
    sets.flatMap((set) => (joins.listenersBySet.get(keyOf(set)) ?? []).map(({ namespace }) => namespace)),
  )
  namespaces.delete(ref.namespace)
  return [...namespaces].flatMap((namespace) => {
    const copy = secretByKey.get(keyOf({ namespace, name: ref.name }))
    const differing = copy === undefined ? [] : differingKeys(secret, copy)
    if (copy === undefined || differing.length === 0) return []
    return findingOf(authSecretNamespaceDrift, {
      severity: 'warning',
      subject: subjectOf('secret', copy),
      confidence: 'proven',
      summary: `Secret ${ref.name} in ${namespace} differs from the one in ${ref.namespace}, which the scale sets use.`,
      evidence: differing.map((text) => evidenceOf(snapshot.cluster.secrets, text)),
      nextAllowedAction: {
        kind: 'person',
        text: 'Find out which copy is good, make the source write both, and apply it for one scale set first.',
        command: null,
      },
    })
  })
}

function differingKeys(own: SecretFact, copy: SecretFact): string[] {
  const hashesOf = ({ keys }: SecretFact) => new Map(keys.map(({ name, hash }) => [name, hash]))
  const [ours, theirs] = [hashesOf(own), hashesOf(copy)]
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((name) => {
    if (!ours.has(name)) return `key ${name} is only in ${copy.namespace}`
    if (!theirs.has(name)) return `key ${name} is only in ${own.namespace}`
    const [here, there] = [ours.get(name) ?? null, theirs.get(name) ?? null]
    return here !== null && there !== null && here !== there
      ? `key ${name}: hash ${shortHash(here)} in ${own.namespace}, ${shortHash(there)} in ${copy.namespace}`
      : []
  })
}
