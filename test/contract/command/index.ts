import { describe, expect, it } from 'vitest'
import type { CommandEnd, ProcessMark } from '../../../src/domain/remedy/managed-apply/index.ts'
import type { CommandRunner } from '../../../src/ports/managed-apply.ts'

/** A runner, and a command that ends with a code. */
interface Opened {
  readonly runner: CommandRunner
  readonly argv: readonly string[]
}

const never = new AbortController().signal

/** The contract of a command runner: child processes and their twin keep it. */
export function commandContract(open: (end: CommandEnd) => Promise<Opened>): void {
  describe('a command', () => {
    it.each([0, 3])('that exits with %d ends with that, after it was noted as started', async (code) => {
      const { runner, argv } = await open({ kind: 'exited', code })
      const marks: ProcessMark[] = []
      const onStarted = async (mark: ProcessMark) => void marks.push(mark)
      const end = await runner.run({ argv, maxMs: 60_000, onStarted }, never)
      expect(end).toEqual({ kind: 'exited', code })
      expect(marks).toHaveLength(1)
      expect(await runner.isRunning(marks[0] as ProcessMark)).toBe(false)
    })
  })
}
