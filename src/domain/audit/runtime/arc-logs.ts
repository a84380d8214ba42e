import type { LogFact, ObjectRef, Snapshot } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { keyOf } from '../joins.ts'
import { logWindowMs } from './bounds.ts'

/** Sentences of ARC's controller, in every release from 0.12 on, by the fact that each of them proves. */
const sentences = {
  'listener-ended': ['Listener pod is terminated'],
  'rollover-held': [
    'spec changed but runners are still active',
    'Waiting for the running and pending runners to finish',
  ],
  'set-outdated': ['Ephemeral runner set is outdated'],
  'registration-failed': ['Failed to get runner scale set from Actions service'],
  'removal-failed': ['Failed to clean up runner from service', 'Failed to clean up EphemeralRunners'],
  'job-still-running': ['Runner is not finished yet'],
  'quota-exceeded': ['Resource quota is exceeded', 'exceeded quota:'],
  'runner-given-up': ['has failed more than 5 times'],
} as const

type LogSignal = keyof typeof sentences

/** All lines of one signal about one object, in the window. */
export interface LogTrace {
  readonly count: number
  readonly firstAt: Instant
  readonly lastAt: Instant
  readonly text: string
}

export interface ArcLogs {
  /** Whether any controller's log was read: without one, a missing line proves nothing. */
  readonly isRead: boolean
  trace(signal: LogSignal, about: ObjectRef): LogTrace | null
  /** Objects that a signal is about. */
  about(signal: LogSignal): readonly ObjectRef[]
  /** The log of a listener's own pod, which has its name. */
  ofListener(listener: ObjectRef): LogFact | undefined
}

/** ARC writes no Events: its reasons stand in the logs of its controller and listeners alone. */
export function readArcLogs({ cluster, takenAt }: Snapshot): ArcLogs {
  const traces = new Map<string, LogTrace>()
  const subjects = new Map<LogSignal, Map<string, ObjectRef>>()
  const logs = cluster.logs.items.filter(({ role }) => role === 'controller')
  const listenerLogs = new Map(
    cluster.logs.items.filter(({ role }) => role === 'listener').map((log) => [keyOf(log.pod), log]),
  )
  for (const line of logs.flatMap(({ lines }) => lines)) {
    const signal = signalOf(line)
    if (signal === null) continue
    const about = objectIn(line)
    const at = timeIn(line)
    if (about === null || at === null || takenAt - at > logWindowMs) continue
    const key = `${signal} ${keyOf(about)}`
    const before = traces.get(key)
    const firstAt = before?.firstAt ?? at
    traces.set(key, { count: (before?.count ?? 0) + 1, firstAt, lastAt: at, text: excerptOf(line) })
    subjects.set(signal, (subjects.get(signal) ?? new Map()).set(keyOf(about), about))
  }
  return {
    isRead: logs.length > 0,
    trace: (signal, about) => traces.get(`${signal} ${keyOf(about)}`) ?? null,
    about: (signal) => [...(subjects.get(signal)?.values() ?? [])],
    ofListener: (listener) => listenerLogs.get(keyOf(listener)),
  }
}

/** The reason with which a listener ended, by its own log; the end that ARC asked for is none. */
export function listenerErrorIn(log: LogFact | undefined, takenAt: Instant): LogTrace | null {
  const lines = (log?.lines ?? []).filter(
    (line) => line.includes('Application returned an error') && !line.includes('context canceled'),
  )
  const last = lines.at(-1)
  const at = last === undefined ? null : timeIn(last)
  if (last === undefined || at === null || takenAt - at > logWindowMs) return null
  return { count: lines.length, firstAt: at, lastAt: at, text: excerptOf(last) }
}

function signalOf(line: string): LogSignal | null {
  for (const [signal, texts] of Object.entries(sentences)) {
    if (texts.some((text) => line.includes(text))) return signal as LogSignal
  }
  return null
}

const objectPattern =
  /"(?:autoscalinglistener|autoscalingrunnerset|ephemeralrunnerset|ephemeralrunner)":\s?\{"name":\s?"([^"]+)",\s?"namespace":\s?"([^"]+)"\}/i

function objectIn(line: string): ObjectRef | null {
  const [, name, namespace] = objectPattern.exec(line) ?? []
  return name === undefined || namespace === undefined ? null : { namespace, name }
}

const timePattern = /(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?)/

/** Both programs write UTC. */
function timeIn(line: string): Instant | null {
  const [, year, month, day, time] = timePattern.exec(line) ?? []
  if (time === undefined) return null
  const at = Date.parse(`${year}-${month}-${day}T${time.slice(0, 12)}Z`)
  return Number.isNaN(at) ? null : at
}

const headChars = 160
const tailChars = 240

/** The sentence stands first in a line and the cause last. */
function excerptOf(line: string): string {
  const text = line.replaceAll('\t', ' ').trim()
  if (text.length <= headChars + tailChars) return text
  return `${text.slice(0, headChars)} … ${text.slice(-tailChars)}`
}
