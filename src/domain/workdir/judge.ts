import type { Finding, Unjudged } from '../audit/finding.ts'
import { counted } from '../format.ts'
import type { Instant } from '../time.ts'
import { drift, lowSpace, multiRepo, singleRepo, staleLock, unreachableHost } from './classes.ts'
import type { HostReading, RunnerProcess, WorkFolderFacts } from './facts.ts'
import { contaminated, driftLeft, lockLeft, spaceLeft } from './findings.ts'
import { type FolderState, foldersOf } from './folder.ts'
import { placeOf, type RunnerHost, workFolderOf } from './host.ts'

/** `in-use`: a Worker is or may be at work there, and nothing there is judged or touched. */
type FolderVerdict = 'healthy' | 'contaminated' | 'drift' | 'stale-lock' | 'in-use' | 'unknown'

interface JudgedFolder {
  readonly name: string
  readonly isRepository: boolean
  readonly verdict: FolderVerdict
}

export interface HostJudgement {
  readonly host: RunnerHost
  readonly verdict: FolderVerdict | 'unreachable'
  readonly folders: readonly JudgedFolder[]
  /** Processes that are of this runner, or may be. */
  readonly processes: readonly RunnerProcess[]
  readonly findings: readonly Finding[]
  readonly unjudged: readonly Unjudged[]
}

/** A git that a person runs by hand holds a lock for seconds. */
const lockAgeMinMs = 10 * 60_000

/** Judges one look at one host. What is unknown is unjudged, and never clean. */
export function judgeHost(host: RunnerHost, reading: HostReading, now: Instant): HostJudgement {
  const bare = { host, folders: [], processes: [], findings: [] }
  if (reading.kind === 'unreachable') {
    const { why, needs } = reading
    return {
      ...bare,
      verdict: 'unreachable',
      unjudged: [{ class: unreachableHost, why: `${host.name}: ${why}`, needs }],
    }
  }
  const { facts } = reading
  const owner = facts.folder.kind === 'folder' ? (host.ownerUid ?? facts.folder.uid) : null
  if (owner === null) return { ...bare, verdict: 'unknown', unjudged: open(noFolder(host, facts)) }
  const folders = foldersOf(facts, owner)
  const processes = facts.processes.filter(({ place }) => place !== 'elsewhere')
  const inUse = whyInUse(host, facts, processes)
  return inUse === null
    ? judgeAtRest({ host, facts, owner, folders, processes, now })
    : { ...judgeInUse(host, facts, folders, inUse, now), processes }
}

interface AtRest {
  readonly host: RunnerHost
  readonly facts: WorkFolderFacts
  readonly owner: number
  readonly folders: readonly FolderState[]
  readonly processes: readonly RunnerProcess[]
  readonly now: Instant
}

/** No Worker was there, before and after. */
function judgeAtRest(seen: AtRest): HostJudgement {
  const { host, facts, folders, processes } = seen
  const blocked = folders.filter(({ isRepository, blocking }) => isRepository && blocking.length > 0)
  const isWhole = facts.cuts.length === 0
  const isCounted = isWhole || blocked.length > 1
  const judged = folders.map((folder) => ({
    name: folder.name,
    isRepository: folder.isRepository,
    verdict: verdictOf(folder, facts),
  }))
  const young = folders.flatMap(({ locks }) => locks.filter((lock) => !isOld(lock.modifiedAt, facts.at)))
  return {
    host,
    processes,
    folders: judged,
    verdict: worst(judged, isWhole),
    findings: [
      ...(blocked.length > 0 && isCounted ? [contaminated(seen, blocked)] : []),
      ...driftLeft(seen),
      ...folders.flatMap((folder) => lockLeft(seen, folder, (lock) => isOld(lock.modifiedAt, facts.at))),
      ...spaceLeft(seen),
    ],
    unjudged: [
      ...facts.cuts.flatMap((cut) =>
        open(
          { why: `${host.name}: ${cut}${seenSoFar(blocked)}`, needs: readerNeeds(facts) },
          isCounted ? [drift.name, staleLock.name] : undefined,
        ),
      ),
      ...young.map(({ path }) => ({
        class: staleLock.name,
        why: `${host.name}: the lock ${path} is younger than 10 min, and may be held by a git that a person runs`,
        needs: 'another look in 10 min',
      })),
      ...spaceUnknown(host, facts),
    ],
  }
}

/** Contamination and locks may belong to the job that runs: only the space is judged. */
function judgeInUse(
  host: RunnerHost,
  facts: WorkFolderFacts,
  folders: readonly FolderState[],
  inUse: { readonly verdict: 'in-use' | 'unknown'; readonly why: string; readonly needs: string },
  now: Instant,
): Omit<HostJudgement, 'processes'> {
  const isQuiet = inUse.verdict === 'in-use' && facts.notable.length === 0 && facts.cuts.length === 0
  return {
    host,
    verdict: inUse.verdict,
    folders: folders.map(({ name, isRepository }) => ({ name, isRepository, verdict: inUse.verdict })),
    findings: spaceLeft({ host, facts, now }),
    unjudged: [...(isQuiet ? [] : open(inUse)), ...spaceUnknown(host, facts)],
  }
}

function whyInUse(host: RunnerHost, facts: WorkFolderFacts, processes: readonly RunnerProcess[]) {
  const [worker] = processes.filter(({ role }) => role === 'worker')
  if (worker !== undefined) {
    const where = worker.place === 'here' ? '' : ', and may be of this runner'
    const why = `${host.name}: the process ${worker.pid} is named Runner.Worker${where}: a job may be running`
    return { verdict: 'in-use', why, needs: 'another look when its job has ended' } as const
  }
  if (facts.areProcessesWhole) return null
  const why = `${host.name}: not all processes on ${placeOf(host)} can be seen, so a Worker may be at work`
  return {
    verdict: 'unknown',
    why,
    needs: 'an account that sees the processes of all users (/proc without hidepid)',
  } as const
}

function noFolder(host: RunnerHost, { folder, readerUid }: WorkFolderFacts) {
  const path = workFolderOf(host)
  switch (folder.kind) {
    case 'symlink':
      return {
        why: `${host.name}: ${path} is a symlink, and none is followed`,
        needs: 'the real folder in the contract file',
      }
    case 'unreadable':
      return {
        why: `${host.name}: the account with uid ${readerUid} may not look into ${path}`,
        needs: `an account that may read ${path}`,
      }
    default:
      return {
        why: `${host.name}: there is no folder ${path}: no job ran yet, or another one was declared`,
        needs: 'root and workFolder in the contract file',
      }
  }
}

function verdictOf({ blocking, residual, locks }: FolderState, { cuts, at }: WorkFolderFacts): FolderVerdict {
  if (blocking.length > 0) return 'contaminated'
  if (locks.some(({ modifiedAt }) => isOld(modifiedAt, at))) return 'stale-lock'
  if (cuts.length > 0 || locks.length > 0) return 'unknown'
  return residual.length > 0 ? 'drift' : 'healthy'
}

const byWeight = ['contaminated', 'stale-lock', 'unknown', 'drift'] as const

function worst(folders: readonly JudgedFolder[], isWhole: boolean): FolderVerdict {
  const there = new Set(folders.map(({ verdict }) => verdict))
  return byWeight.find((verdict) => there.has(verdict)) ?? (isWhole ? 'healthy' : 'unknown')
}

/** A lock of the future has no age: the clock was moved. */
function isOld(modifiedAt: Instant, at: Instant): boolean {
  return at - modifiedAt >= lockAgeMinMs
}

function open(
  { why, needs }: { readonly why: string; readonly needs: string | null },
  classes = [singleRepo, multiRepo, drift, staleLock].map(({ name }) => name),
): Unjudged[] {
  return classes.map((name) => ({ class: name, why, needs }))
}

function seenSoFar(blocked: readonly FolderState[]): string {
  const names = blocked.map(({ name }) => name).join(', ')
  return blocked.length === 0
    ? ''
    : `; ${counted(blocked.length, 'folder')} cannot be emptied so far: ${names}`
}

function readerNeeds({ readerUid }: WorkFolderFacts): string | null {
  return readerUid === 0 ? null : 'an account that may read all of the work folder'
}

function spaceUnknown(host: RunnerHost, { space }: WorkFolderFacts): Unjudged[] {
  return space === null
    ? [{ class: lowSpace.name, why: `${host.name}: the free space could not be read`, needs: null }]
    : []
}
