import type { Instant } from '../../../src/ports/clock.ts'
import type { Installation, Repository } from './account-model.ts'
import type { Job, Run, RunAction } from './work-model.ts'

/** The facts of a job in messages. */
export type JobFacts = Omit<
  Job,
  'script' | 'queuedAt' | 'cancelledAt' | 'dueAt' | 'annotations' | 'starts' | 'ends'
>

/** The facts of a run in messages. */
export type RunFacts = Omit<Run, 'plan' | 'waiting' | 'announced'>

interface AnyMessage {
  readonly id: number
  /** Stays the same when the message is sent again. */
  readonly guid: string
  readonly isRedelivery: boolean
}

/** A stored message: its subject as it was when the message was created. */
export interface JobMessage extends AnyMessage {
  readonly event: 'workflow_job'
  readonly job: JobFacts
  /** The action of the message; by default the job's status. */
  readonly action?: 'queued' | undefined
  readonly workflow: string
}

interface RunMessage extends AnyMessage {
  readonly event: 'workflow_run'
  readonly action: RunAction
  readonly run: RunFacts
  readonly status: string
  readonly conclusion: string | null
}

/** A message that only tries whether somebody listens. */
export interface PingMessage extends AnyMessage {
  readonly event: 'ping'
  readonly url: string
  readonly repository: string | null
}

/** Somebody did something to the App's installation as a whole. */
export interface InstallationMessage extends AnyMessage {
  readonly event: 'installation'
  readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend'
  readonly installation: Installation
}

/** Repositories came under the App, or left it. */
export interface CoverageMessage extends AnyMessage {
  readonly event: 'installation_repositories'
  readonly action: 'added' | 'removed'
  readonly installation: Installation
  readonly repositories: readonly Repository[]
}

export type Message = JobMessage | RunMessage | PingMessage | InstallationMessage | CoverageMessage

/** The specific part of a message, without the fields of every message. */
export type News = Message extends infer M ? (M extends Message ? Omit<M, keyof AnyMessage> : never) : never

/** A message in the form in which it is sent. */
export interface Webhook {
  readonly guid: string
  readonly event: Message['event']
  readonly payload: Readonly<Record<string, unknown>>
  readonly message: Message
  readonly repository: Repository | null
}

/** One time that a message was sent. */
export interface Delivery {
  readonly id: number
  readonly message: Message
  readonly deliveredAt: Instant
  readonly durationMs: number
  /** The status of the answer; null: none came. */
  readonly statusCode: number | null
  readonly why: string | null
}
