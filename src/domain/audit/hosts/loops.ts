import { times } from '../../format.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { clockText, evidenceOf, findingOf, someOf } from '../judging.ts'
import { bootstrapLoop } from './classes.ts'
import type { HostFailure } from './failures.ts'

/** Fewer are a host that had a bad start. */
const repeatsMin = 3
const signatureCharsMax = 100
const messageCharsMax = 500

/** Failures with the same message, whatever host, number or address it names, are one finding. */
export function loopsOf(failures: readonly HostFailure[], input: AuditInput): readonly Finding[] {
  const groups = Map.groupBy(failures, signatureOf)
  return [...groups].flatMap(([signature, group]) => {
    const count = group.reduce((sum, failure) => sum + failure.count, 0)
    return count < repeatsMin ? [] : toFinding(signature, group, count, input)
  })
}

/** The message without its host and without numbers, in which repetitions differ. */
function signatureOf({ message, host }: HostFailure): string {
  return message
    .replace(wholeWord(host), '<host>')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, signatureCharsMax)
}

/** A short name is a part of many words. */
function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${name.replace(/[^\w-]/g, '\\$&')}(?![\\w-])`, 'g')
}

function toFinding(
  signature: string,
  group: readonly HostFailure[],
  count: number,
  { snapshot, joins, contract }: AuditInput,
): Finding {
  const { events, nodes } = snapshot.cluster
  const hosts = [...new Set(group.map(({ host }) => host))]
  const joined = hosts.filter((host) => joins.nodeByName.has(host))
  const message = (group[0] as HostFailure).message
  const fix = contract?.fixes.find(({ symptom }) => message.includes(symptom))
  return findingOf(bootstrapLoop, {
    severity: 'critical',
    subject: { kind: 'failure', namespace: null, name: signature },
    confidence: 'proven',
    summary: `${hosts.length === 1 ? `Host ${hosts[0]} has` : `${hosts.length} hosts have`} failed ${times(count)} with the same message${spanText(group)}.`,
    evidence: [
      evidenceOf(events, message.slice(0, messageCharsMax)),
      evidenceOf(events, `hosts: ${someOf(hosts)}`),
      ...(joined.length === 0
        ? []
        : [evidenceOf(nodes, `a node of the same name is there for ${someOf(joined)}`)]),
    ],
    nextAllowedAction: {
      kind: 'person',
      text:
        fix === undefined
          ? 'Read the message on one host, and put its cause right in the source of the host image or its operator; until then keep new work off these hosts.'
          : `The contract knows a fix, "${fix.name}": deploy ${fix.image}:${fix.fixedIn} or newer.`,
      command: null,
    },
  })
}

function spanText(group: readonly HostFailure[]): string {
  const instants = group.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt]).filter((at) => at !== null)
  const sorted = instants.toSorted((a, b) => a - b)
  const [first, last] = [sorted[0], sorted.at(-1)]
  return first === undefined || last === undefined
    ? ''
    : `, between ${clockText(first)} and ${clockText(last)}`
}
