import type { Finding, FindingEvidence, FindingSubject } from '../audit/finding.ts'
import { findingOf } from '../audit/judging.ts'
import { bytes, counted, durationText, percent } from '../format.ts'
import type { Instant } from '../time.ts'
import { drift, lowSpace, multiRepo, singleRepo, staleLock } from './classes.ts'
import type { NotableEntry, RunnerProcess, WorkFolderFacts } from './facts.ts'
import type { FolderState } from './folder.ts'
import { type RunnerHost, workFolderOf } from './host.ts'

/** One look at a host, and the time of ours at which it was made. */
interface Look {
  readonly host: RunnerHost
  readonly facts: WorkFolderFacts
  readonly now: Instant
}

interface OwnedLook extends Look {
  readonly owner: number
  readonly folders: readonly FolderState[]
  readonly processes: readonly RunnerProcess[]
}

/** Entries that are named of one folder. */
const namedMax = 5
const lowShare = 0.05

/** Folders of repositories that cannot be emptied: one may be recovered, several are a case for a person. */
export function contaminated(look: OwnedLook, blocked: readonly FolderState[]): Finding {
  const { host, owner, processes } = look
  const isOne = blocked.length === 1
  const names = blocked.map(({ name }) => name).join(', ')
  const isProven =
    blocked.filter(({ blocking }) => blocking.some((each) => each.isProven)).length >=
    Math.min(2, blocked.length)
  return findingOf(isOne ? singleRepo : multiRepo, {
    severity: isOne ? 'warning' : 'critical',
    subject: hostSubject(host),
    confidence: isProven ? 'proven' : 'likely',
    summary: `${isOne ? `The folder of ${names}` : `Folders of ${names}`} in ${workFolderOf(host)} ${isOne ? 'has' : 'have'} directories that the account with uid ${owner} cannot empty.`,
    evidence: [
      ...blocked.flatMap(({ blocking }) =>
        some(
          look,
          blocking.map(({ entry }) => entry),
          owner,
        ),
      ),
      ...processEvidence(look, processes),
    ],
    nextAllowedAction: {
      kind: 'person',
      text: isOne
        ? `Stop the runner of ${host.name} while it is idle, remove the content of ${workFolderOf(host)}/${names} as root, look again, start it, and run the job again.`
        : `Stop the runner of ${host.name} when it is idle, and replace the host: more than one folder is beyond a bounded recovery.`,
      command: null,
    },
  })
}

/** Entries of others that can be removed, and directories of the runner's own folders that cannot. */
export function driftLeft(look: OwnedLook): readonly Finding[] {
  const { host, owner, folders } = look
  const left = folders.flatMap(({ isRepository, blocking, residual }) => [
    ...residual,
    ...(isRepository ? [] : blocking.map(({ entry }) => entry)),
  ])
  if (left.length === 0) return []
  return [
    findingOf(drift, {
      severity: 'notice',
      subject: hostSubject(host),
      confidence: 'proven',
      summary: `${left.length === 1 ? '1 entry' : `${left.length} entries`} in ${workFolderOf(host)} ${left.length === 1 ? 'does' : 'do'} not belong to the account with uid ${owner}, or cannot be emptied by it.`,
      evidence: some(look, left, owner),
      nextAllowedAction: {
        kind: 'person',
        text: 'Find what writes there as another account: container jobs that run as root are the usual cause.',
        command: null,
      },
    }),
  ]
}

/** Locks of one folder that nobody holds any more. */
export function lockLeft(
  look: OwnedLook,
  { name, locks }: FolderState,
  isStale: (lock: NotableEntry) => boolean,
): readonly Finding[] {
  const { host, facts } = look
  const stale = locks.filter(isStale)
  if (stale.length === 0) return []
  return [
    findingOf(staleLock, {
      severity: 'warning',
      subject: { ...hostSubject(host), kind: 'work-folder', name: `${host.name}:${name}` },
      confidence: 'likely',
      summary: `${name} has ${counted(stale.length, 'lock')} of git that no job holds: no Worker is at work on ${host.name}.`,
      evidence: stale
        .slice(0, namedMax)
        .map(({ path, modifiedAt }) => evidence(look, `${path}, ${durationText(facts.at - modifiedAt)} old`)),
      nextAllowedAction: {
        kind: 'person',
        text: `Stop the runner of ${host.name} while it is idle, see that no git runs there, and remove the lock.`,
        command: null,
      },
    }),
  ]
}

/** Bytes or inodes that are almost used up. */
export function spaceLeft(look: Look): readonly Finding[] {
  const { host, facts } = look
  if (facts.space === null) return []
  const { freeBytes, totalBytes, freeInodes, totalInodes } = facts.space
  const texts = [
    ...(freeBytes < totalBytes * lowShare
      ? [`${bytes(freeBytes)} of ${bytes(totalBytes)} are free (${percent(freeBytes / totalBytes)})`]
      : []),
    ...(freeInodes < totalInodes * lowShare
      ? [`${freeInodes} of ${totalInodes} inodes are free (${percent(freeInodes / totalInodes)})`]
      : []),
  ]
  if (texts.length === 0) return []
  return [
    findingOf(lowSpace, {
      severity: 'warning',
      subject: hostSubject(host),
      confidence: 'proven',
      summary: `The file system of ${workFolderOf(host)} is almost full.`,
      evidence: texts.map((text) => evidence(look, text)),
      nextAllowedAction: {
        kind: 'person',
        text: `Look at what fills it: du -x --max-depth=2 ${workFolderOf(host)}. Folders of repositories there are scratch while no job runs.`,
        command: null,
      },
    }),
  ]
}

function hostSubject({ name }: RunnerHost): FindingSubject {
  return { kind: 'runner-host', namespace: null, name }
}

function evidence({ now }: Look, text: string): FindingEvidence {
  return { source: 'host', at: now, text }
}

function some(look: Look, entries: readonly NotableEntry[], owner: number): FindingEvidence[] {
  const more = entries.length - namedMax
  return [
    ...entries.slice(0, namedMax).map((entry) => evidence(look, entryText(entry, owner))),
    ...(more > 0 ? [evidence(look, `and ${more} more`)] : []),
  ]
}

/** `web/web/dist: directory of uid 0, mode 0755`. */
function entryText({ path, kind, uid, mode, isReadable }: NotableEntry, owner: number): string {
  const own = uid === owner ? 'of the runner itself' : `of uid ${uid}`
  return `${path}: ${kind} ${own}, mode ${mode.toString(8).padStart(4, '0')}${isReadable ? '' : ', not readable'}`
}

function processEvidence(look: Look, processes: readonly RunnerProcess[]): FindingEvidence[] {
  const listeners = processes.filter(({ role }) => role === 'listener')
  return [
    evidence(look, 'no Runner.Worker of this runner was there, before and after the folders were read'),
    ...(listeners.length === 0
      ? []
      : [
          evidence(
            look,
            `Runner.Listener runs (${listeners.map(({ pid }) => pid).join(', ')}): it may get a job at any time`,
          ),
        ]),
  ]
}
