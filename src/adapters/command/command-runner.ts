import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { reasonOf } from '../../domain/reason.ts'
import type { CommandEnd, ProcessMark } from '../../domain/remedy/managed-apply/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CommandRunner } from '../../ports/managed-apply.ts'

/** Helm rolls back within it; what is left then is ended hard. */
const graceMs = 20_000

export interface CommandRunnerOptions {
  readonly clock: Clock
  /** A live process that has this number; undefined: none. */
  readonly identityOf: (pid: number) => Promise<ProcessMark | undefined>
  /** Where its standard output goes: that of Holdfast, or its standard error. */
  readonly output: 'stdout' | 'stderr'
}

/**
 * Commands as child processes without a shell. They have Holdfast's own streams: their output is not held up, and they do not
 * end by a closed pipe where Holdfast is killed. Each leads a process group, so that all of it can be ended.
 */
export function createCommandRunner({ clock, identityOf, output }: CommandRunnerOptions): CommandRunner {
  return {
    async run({ argv, maxMs, onStarted }, signal) {
      const [program = '', ...args] = argv
      const child = spawn(program, args, {
        stdio: ['inherit', output === 'stdout' ? 'inherit' : 2, 'inherit'],
        detached: true,
      })
      const closed = endOf(child)
      if (child.pid === undefined) return closed
      let cut: CommandEnd | null = null
      const end = (why: CommandEnd) => {
        cut ??= why
        signalGroup(child, 'SIGTERM')
        cancels.push(clock.after(graceMs, () => signalGroup(child, 'SIGKILL')))
      }
      const cancels = [clock.after(maxMs, () => end({ kind: 'timed-out', afterMs: maxMs }))]
      const onAbort = () => end({ kind: 'interrupted' })
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
      const noted = note(child.pid, identityOf, onStarted)
      noted.catch(() => {}) // awaited below: a command is not left alone because it could not be noted
      try {
        const ended = await closed
        await noted
        return cut ?? ended
      } finally {
        signal.removeEventListener('abort', onAbort)
        for (const cancel of cancels) cancel()
      }
    },
    async isRunning(mark) {
      const now = await identityOf(mark.pid)
      return now !== undefined && now.startedAt === mark.startedAt && now.bootId === mark.bootId
    },
  }
}

async function note(
  pid: number,
  identityOf: CommandRunnerOptions['identityOf'],
  onStarted: (mark: ProcessMark) => Promise<void>,
): Promise<void> {
  const mark = await identityOf(pid)
  if (mark !== undefined) await onStarted(mark)
}

async function endOf(child: ChildProcess): Promise<CommandEnd> {
  try {
    const [code, signal] = await once(child, 'close')
    return code === null ? { kind: 'signalled', signal: String(signal) } : { kind: 'exited', code }
  } catch (error) {
    return { kind: 'not-started', reason: reasonOf(error) }
  }
}

/** Also where the first process has ended and left others. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The whole group is gone.
  }
}
