import { startOf } from '../../../gitlab/index.ts'
import {
  isWhole,
  type Listing,
  type LogFact,
  type PodFact,
  type SecretFact,
} from '../../../snapshot/index.ts'
import type { Instant } from '../../../time.ts'
import type { AuditInput } from '../../audit.ts'
import type { Finding } from '../../finding.ts'
import { clockText, evidenceOf, findingOf, subjectOf } from '../../judging.ts'
import { tokenInvalid, tokenSecretMissing, tokenStaleInPod } from '../classes.ts'
import type { GitlabFleet } from '../fleet.ts'

/** GitLab Runner's words where GitLab answers 403. */
const refusedLine =
  /(?:Checking for jobs|Verifying runner|Registering runner)\.\.\. +(?:forbidden|is not valid|is removed)/
const missingSecret = /secret "?([a-z0-9.-]+)"? not found/
export const tokenKeys: ReadonlySet<string> = new Set(['runner-token', 'runner-registration-token'])

/** The state of managers' tokens, as far as the cluster shows it: GitLab itself was not asked. */
export function tokenFindings(fleet: GitlabFleet, input: AuditInput): readonly Finding[] {
  return [...missingSecrets(fleet, input), ...refusedTokens(fleet, input), ...staleTokens(fleet, input)]
}

function missingSecrets({ managers }: GitlabFleet, { snapshot, joins }: AuditInput): readonly Finding[] {
  return managers.flatMap((pod) => {
    if (pod.phase !== 'Pending' && !pod.statuses.some(({ state }) => state?.kind === 'waiting')) return []
    const events = joins.eventsBySubject.get(`Pod/${pod.namespace}/${pod.name}`) ?? []
    const own = pod.statuses.flatMap(({ state }) => state?.message ?? [])
    const texts = [...own, ...events.map(({ message }) => message)]
    const line = texts.find((text) => missingSecret.test(text))
    if (line === undefined) return []
    const name = missingSecret.exec(line)?.[1] ?? ''
    return [
      findingOf(tokenSecretMissing, {
        severity: 'critical',
        subject: subjectOf('secret', { namespace: pod.namespace, name }),
        // An event may be older than the Secret.
        confidence: own.includes(line) ? 'proven' : 'likely',
        summary: `Manager ${pod.name} waits for Secret ${name}, which is not there.`,
        evidence: [evidenceOf(snapshot.cluster.pods, `${pod.name}: ${line.slice(0, 300)}`)],
        nextAllowedAction: person(
          'Find out who should have made the Secret, and whether its apply was allowed to (making a runner of a group needs an Owner).',
        ),
      }),
    ]
  })
}

function refusedTokens({ managers }: GitlabFleet, { snapshot }: AuditInput): readonly Finding[] {
  const { logs } = snapshot.cluster
  const names = new Set(managers.map(({ namespace, name }) => `${namespace}/${name}`))
  return logs.items.flatMap((log) => {
    const line = refusalIn(log)
    if (line === null || !names.has(`${log.pod.namespace}/${log.pod.name}`)) return []
    return [
      findingOf(tokenInvalid, {
        severity: 'critical',
        subject: subjectOf('pod', log.pod),
        // A later answer may stand in another line, or come after these.
        confidence: 'likely',
        summary: `GitLab refuses the token of manager ${log.pod.name}: no job reaches it.`,
        evidence: [evidenceOf(logs, `log: ${line.slice(0, 300)}`)],
        nextAllowedAction: person(
          'Look at GitLab whether the runner is still there; if not, make a new token, and restart this one manager once its Secret has it.',
        ),
      }),
    ]
  })
}

function refusalIn({ role, lines }: LogFact): string | null {
  return role === 'manager' ? managerRefusal(lines) : null
}

/** The newest refusal in a manager's log; none where a job or a verification succeeded after it. */
export function managerRefusal(lines: readonly string[]): string | null {
  const at = lines.findLastIndex((line) => refusedLine.test(line))
  const isOver = lines.slice(at + 1).some((line) => /\.\.\. +(?:received|is valid|is alive)/.test(line))
  return at === -1 || isOver ? null : (lines[at] ?? null)
}

/** Where a namespace has one Secret with a token, and its managers began before it. */
function staleTokens({ managers }: GitlabFleet, { snapshot }: AuditInput): readonly Finding[] {
  const { secrets } = snapshot.cluster
  // Another Secret that was not read may be the one that counts.
  if (!isWhole(secrets)) return []
  const tokens = secrets.items.filter(({ keys }) => keys.some(({ name }) => tokenKeys.has(name)))
  const byNamespace = Map.groupBy(tokens, ({ namespace }) => namespace)
  return managers.flatMap((pod) => {
    const [secret, ...others] = byNamespace.get(pod.namespace) ?? []
    const startedAt = startOf(pod)
    if (secret === undefined || others.length > 0 || startedAt === null) return []
    if (secret.createdAt === null || secret.createdAt <= startedAt) return []
    return [staleToken(pod, secret, startedAt, secrets)]
  })
}

function staleToken(
  pod: PodFact,
  secret: SecretFact,
  startedAt: Instant,
  listing: Listing<SecretFact>,
): Finding {
  return findingOf(tokenStaleInPod, {
    severity: 'warning',
    subject: subjectOf('pod', pod),
    confidence: 'likely',
    summary: `Manager ${pod.name} began before Secret ${secret.name} was made: it may have the token of before.`,
    evidence: [
      evidenceOf(
        listing,
        `Secret ${secret.name} is of ${clockText(secret.createdAt ?? 0)}, the manager of ${clockText(startedAt)}`,
      ),
    ],
    nextAllowedAction: person(
      'See at GitLab when the runner was last in contact. If it is not, restart this one manager while no job runs.',
    ),
  })
}

function person(text: string) {
  return { kind: 'person' as const, text, command: null }
}
