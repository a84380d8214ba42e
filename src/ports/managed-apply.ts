import type { ApplyRecord, CommandEnd, ProcessMark } from '../domain/remedy/managed-apply/index.ts'

/** The records of managed applies: what a set is owed outlives the process that froze it. */
export interface ApplyRecords {
  /** Resolves once the record survives a power cut; it replaces the one of the same id as a whole. */
  write(record: ApplyRecord): Promise<void>
  /** All of them, newest first. Throws E_APPLY_RECORD where one cannot be read: a set may be owed its caps. */
  list(): Promise<readonly ApplyRecord[]>
}

interface CommandOrder {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly string[]
  readonly maxMs: number
  /** Called once it runs, and awaited before its end is reported. */
  onStarted(process: ProcessMark): Promise<void>
}

/** Runs a command of the user on this machine. */
export interface CommandRunner {
  /**
   * Runs it to its end; its output goes to the user as it comes. Past `maxMs`, or when the signal aborts, it gets SIGTERM,
   * and SIGKILL where it does not obey, with all of its own processes. Never throws for what the command does.
   */
  run(order: CommandOrder, signal: AbortSignal): Promise<CommandEnd>
  /** Whether a process of an earlier run still lives. */
  isRunning(process: ProcessMark): Promise<boolean>
}
