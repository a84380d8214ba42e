import { redactText } from '../../../domain/redact/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import type { ObjectKind } from '../../../ports/cluster.ts'
import type { MakerWord } from '../../../ports/foreign-runner.ts'
import { instantOf } from '../host/times.ts'
import type { WholeObject } from '../reflector/objects.ts'

/** ARC's object for one runner; its pod has the same name. */
export const ephemeralRunners: ObjectKind = {
  ...{ group: 'actions.github.com', version: 'v1alpha1', plural: 'ephemeralrunners' },
  ...{ kind: 'EphemeralRunner', isNamespaced: true },
}

/** ARC gives up after five; whoever else writes there is bounded. */
const FAILURES_MAX = 20
const TEXT_CHARS_MAX = 500

type Fields = Readonly<Record<string, unknown>>

/** What it says. Its status holds the runner's configuration, a secret: only what is named here is taken. */
export function readEphemeralRunner({ metadata, ...rest }: WholeObject): MakerWord {
  const status = fields(rest.status)
  const repository = text(status.jobRepositoryName)
  const runId =
    typeof status.workflowRunId === 'number' && status.workflowRunId > 0 ? status.workflowRunId : null
  return {
    ...{ kind: ephemeralRunners.kind, name: metadata.name },
    ...{ phase: text(status.phase), reason: text(status.reason), message: text(status.message) },
    failures: failuresOf(fields(status.failures)),
    createdAt: instantOf(metadata.creationTimestamp),
    deletedAt: instantOf(metadata.deletionTimestamp),
    job: repository === null ? null : { repository, name: text(status.jobDisplayName) ?? 'a job', runId },
  }
}

/** By pod UID: older versions of ARC note `true`, newer ones when. */
function failuresOf(given: Fields): MakerWord['failures'] {
  const timeOf = (value: unknown): Instant | null => (typeof value === 'string' ? instantOf(value) : null)
  return Object.entries(given)
    .map(([podUid, value]) => ({ podUid: podUid.slice(0, TEXT_CHARS_MAX), at: timeOf(value) }))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0))
    .slice(-FAILURES_MAX)
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? redactText(value, TEXT_CHARS_MAX) : null
}
