import { ranOfLimit, runnerNameOf } from '../../domain/attempt/index.ts'
import { deathClasses } from '../../domain/death/index.ts'
import { durationText } from './age.ts'
import { deathWords } from './death.ts'

/** A row of the timeline; the facts are those of the event that made it. */
interface Row {
  readonly subject: 'job' | 'attempt' | 'runner'
  readonly kind: string
  readonly facts: Readonly<Record<string, unknown>>
}

type Words = (facts: Row['facts']) => string

/** One sentence for a row of the timeline. A kind that is not known here is shown as it is, never hidden. */
export function timelineSentence(row: Row): string {
  const known = sentences[row.subject]
  const words = Object.hasOwn(known, row.kind) ? known[row.kind] : undefined
  return words === undefined ? `${row.subject}: ${row.kind}${rest(row.facts)}` : words(row.facts)
}

/** Transitions that another one of the same transaction says better. */
const echoes: Readonly<Record<string, readonly string[]>> = {
  'job delivered': ['attempt delivered'],
  'job registered': ['attempt registered'],
  'attempt started': ['job started'],
  'attempt finished': ['job completed', 'job cancelled', 'job lost'],
}

/** The rows without those that repeat another row of the same transaction. */
export function withoutEchoes<T extends Pick<Row, 'subject' | 'kind'> & { readonly at: string | number }>(
  rows: readonly T[],
): T[] {
  return rows.filter((row) => {
    const voices = echoes[`${row.subject} ${row.kind}`] ?? []
    return !rows.some(({ at, subject, kind }) => at === row.at && voices.includes(`${subject} ${kind}`))
  })
}

const sentences: Readonly<Record<Row['subject'], Readonly<Record<string, Words>>>> = {
  job: {
    seen: ({ status, pool }) =>
      `First seen: the forge says ${shown(status)}; ${pool ? `pool ${shown(pool)} serves it` : 'no pool serves its labels'}.`,
    routed: ({ to }) =>
      to ? `The pools changed: ${shown(to)} serves it.` : 'The pools changed: none serves its labels.',
    claimed: ({ forgeRunnerName }) =>
      forgeRunnerName
        ? `Runner ${runnerSaid(forgeRunnerName)} is to run it.`
        : 'Another runner is to run it.',
    delivered: () => 'Its configuration was given to the runner.',
    registered: () => 'The forge has the runner.',
    started: ({ executor }) => `The forge says that it runs on ${runnerSaid(executor)}.`,
    completed: ({ conclusion }) => `The forge says that it is over: ${shown(conclusion)}.`,
    cancelled: ({ conclusion }) =>
      conclusion === 'gone'
        ? 'The forge does not know it any more.'
        : conclusion === 'job-deadline'
          ? 'Its runner was stopped at the limit of its pool, and the forge did not say how it ended.'
          : `The forge says that it was called off: ${shown(conclusion)}.`,
    lost: ({ conclusion }) =>
      conclusion
        ? `It is lost: its runner died while it ran, and the forge says ${shown(conclusion)}.`
        : 'It is lost: its runner died while it ran.',
    judgedLost: ({ death, conclusion }) =>
      `It is lost, whatever the forge made of it (${shown(conclusion)}): ${deathSaid(death)}.`,
    unbound: () => 'The forge gave its runner another job: it waits again.',
    requeued: ({ delayMs, mintFailed }) =>
      `It is queued again${mintFailed ? ' because the forge gave no runner' : ''}${pause(delayMs)}.`,
    quarantined: ({ reason }) => `It is quarantined: ${shown(reason)}`,
    released: () => 'Its quarantine was lifted.',
    approved: () => 'The forge lets a runner have it now.',
    adopted: ({ runner }) => `Runner ${runnerSaid(runner)} was found to run it, and is followed from now on.`,
  },
  attempt: {
    minted: ({ forgeRunnerId }) => `The forge made a configuration (its runner ${shown(forgeRunnerId)}).`,
    delivered: ({ deadlineMs }) => `The configuration left for the runner${within(deadlineMs, 'register')}.`,
    acknowledged: () => 'The runner has its configuration.',
    registered: ({ deadlineMs }) => `The runner registered at the forge${within(deadlineMs, 'start')}.`,
    started: () => 'The runner began to run it.',
    pastDeadline: ({ ranMs, limitMs }) =>
      `It had run for ${ranOfLimit(Number(ranMs), Number(limitMs))}, which is as long as its pool lets a job run.`,
    cancelAsked: ({ answer }) => cancelSentence(answer),
    finished: () => 'The attempt ended: the forge says that the job is over.',
    mintFailed: () => 'The attempt ended: the forge made no configuration.',
    claimExpired: () => 'The attempt ended: nothing was delivered in time.',
    neverRegistered: () => 'The attempt ended: its runner never reached the forge.',
    runnerGone: () => 'The attempt ended: its runner is gone.',
    retired: () =>
      'The attempt ended: a person closed the jobs of its forge installation, which is not served any more.',
    takenElsewhere: () => 'The attempt ended: the forge gave the job to another runner.',
    rebound: ({ from, to }) =>
      `The forge swapped jobs: the runner of job ${shown(from)} runs job ${shown(to)}.`,
  },
  runner: {
    enrolled: () => 'A runner is about to be started.',
    polled: () => 'The runner asked for work.',
    claimed: () => 'The runner is taken.',
    released: () => 'The runner is free again.',
    started: () => 'The runner is busy.',
    fenced: ({ reason }) => `The runner is given no job any more: ${shown(reason)}.`,
    gone: ({ class: death, reason }) =>
      `The runner ended; its death is on record (${shown(death ?? reason)}).`,
  },
}

function cancelSentence(answer: unknown): string {
  if (answer === 'done') return 'The forge was asked to cancel its run, and took the request.'
  return answer === 'unsupported'
    ? 'The forge cannot be asked to cancel its run.'
    : `The forge was asked to cancel its run: ${shown(answer)}.`
}

function deathSaid(death: unknown): string {
  const of = deathClasses.find((name) => name === death)
  return of === undefined ? `its runner died (${shown(death)})` : `${deathWords[of]} (${of})`
}

function runnerSaid(name: unknown): string {
  return shown(typeof name === 'string' ? runnerNameOf(name) : name)
}

function shown(value: unknown): string {
  return value === null || value === undefined ? 'unknown' : String(value)
}

function pause(delayMs: unknown): string {
  return typeof delayMs === 'number' && delayMs > 0 ? `, not before ${durationText(delayMs)}` : ''
}

function within(deadlineMs: unknown, act: string): string {
  return typeof deadlineMs === 'number' ? `, which has ${durationText(deadlineMs)} to ${act}` : ''
}

function rest(facts: Row['facts']): string {
  const text = Object.entries(facts).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return text.length === 0 ? '' : ` (${text.join(', ')})`
}
