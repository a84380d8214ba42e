import type { AuditInput, FindingClass } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, isAbsenceKnown, type Judged, subjectOf, unjudgedAbsence } from '../judging.ts'
import { cacheNameMismatch, secretMissing, serverUnset } from './classes.ts'
import { cacheName, type NixLane, serverName, variable } from './lane.ts'

/** The environment that a lane's runners get: server, cache and the Secret of the token. */
export function judgeEnvironment(lane: NixLane, input: AuditInput, secrets: ReadonlySet<string>): Judged {
  const missing = missingSecrets(lane, input, secrets)
  return {
    findings: [...unsetServer(lane, input), ...missing.findings, ...otherCache(lane, input)],
    unjudged: missing.unjudged,
  }
}

/** One finding about a lane's scale set. */
export function laneFinding(
  nixClass: FindingClass,
  { set }: NixLane,
  { snapshot }: AuditInput,
  given: Pick<Finding, 'confidence' | 'summary'> & {
    readonly evidence: readonly string[]
    readonly action: string
  },
): Finding {
  return findingOf(nixClass, {
    severity: 'warning',
    subject: subjectOf('scale-set', set),
    confidence: given.confidence,
    summary: given.summary,
    evidence: given.evidence.map((text) => evidenceOf(snapshot.cluster.scaleSets, text)),
    nextAllowedAction: { kind: 'person', text: given.action, command: null },
  })
}

function unsetServer(lane: NixLane, input: AuditInput): Finding[] {
  const server = variable(lane, serverName)
  if (server !== undefined && server !== '') return []
  const others = [...lane.env.keys()].filter((name) => name !== serverName)
  return [
    laneFinding(serverUnset, lane, input, {
      confidence: 'likely',
      summary: `Runners of ${keyOf(lane.set)} have no ${serverName}: they build and fetch everything again.`,
      evidence: [
        lane.declared === null
          ? `its template sets ${others.join(', ')}`
          : 'the contract declares that its lane uses the cache',
        `its template sets no ${serverName}${server === '' ? ' but an empty one' : ''}`,
      ],
      action: `Set ${serverName} in the lane's source, apply it, and see a known store path come from the cache.`,
    }),
  ]
}

function missingSecrets(lane: NixLane, input: AuditInput, secrets: ReadonlySet<string>): Judged {
  const { snapshot } = input
  const { namespace } = lane.set
  const refs = new Set(
    [...lane.env.values()].flatMap(({ from, ref }) => (from === 'secret' && ref !== null ? [ref] : [])),
  )
  const absent = [...refs].filter((name) => !secrets.has(keyOf({ namespace, name })))
  if (absent.length === 0) return { findings: [], unjudged: [] }
  if (!isAbsenceKnown(snapshot.cluster.secrets, snapshot, namespace))
    return { findings: [], unjudged: unjudgedAbsence([secretMissing], snapshot.cluster.secrets, namespace) }
  const finding = laneFinding(secretMissing, lane, input, {
    confidence: 'proven',
    summary: `Runners of ${keyOf(lane.set)} take the cache's token from Secret ${absent.join(', ')}, and ${namespace} has none of that name.`,
    evidence: [`Secrets in ${namespace} were read whole`],
    action: `Create the Secret in ${namespace} from its source, and apply it.`,
  })
  return { findings: [finding], unjudged: [] }
}

function otherCache(lane: NixLane, input: AuditInput): Finding[] {
  const cache = variable(lane, cacheName)
  const declared = lane.declared?.cache
  if (typeof cache !== 'string' || declared === undefined || cache === declared) return []
  return [
    laneFinding(cacheNameMismatch, lane, input, {
      confidence: 'proven',
      summary: `Runners of ${keyOf(lane.set)} use the cache ${cache}; the contract declares ${declared}.`,
      evidence: [`${cacheName} is ${cache}`],
      action: `Set ${cacheName} to the declared cache in the lane's source, or correct the contract.`,
    }),
  ]
}
