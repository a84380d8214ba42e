import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask } from '../../../../test/support/embedded.ts'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { attemptMoves, attemptStates } from '../../../domain/attempt/index.ts'
import { jobMoves, jobStates, openJobStates } from '../../../domain/job/index.ts'
import { runnerMoves, runnerStates } from '../../../domain/runner/index.ts'
import { movesSql } from './moves-sql.ts'

const folder = path.join(import.meta.dirname, '../../../../migrations')

describe('the moves in the database', () => {
  it('are those of the program: the newest migration that has them was written by moves-sql.ts', async () => {
    const files = (await readdir(folder)).toSorted()
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')))
    const newest = texts.findLast((text) => text.includes('_may_move(was text, becomes text)'))
    // Otherwise: a new migration with the output of movesSql().
    expect(newest).toContain(movesSql())
  })

  it.each([
    { machine: 'job', states: jobStates, moves: jobMoves, back: openJobStates },
    { machine: 'attempt', states: attemptStates, moves: attemptMoves, back: [] },
    { machine: 'runner', states: runnerStates, moves: runnerMoves, back: [] },
  ])('let a $machine go exactly where its table does', async ({ machine, states, moves, back }) => {
    const database = await createDatabase()
    onTestFinished(database.drop)
    const pairs = states.flatMap((was) => states.map((becomes) => ({ was, becomes })))
    const legal = pairs.filter(({ was, becomes }) => {
      const events = moves[was as never] as Record<string, string>
      const isDirect = Object.values(events).includes(becomes)
      // Taken back by a swap and bound again, in one write.
      const isSwap = 'unbound' in events && (back as readonly string[]).includes(becomes)
      return was !== becomes && (isDirect || isSwap)
    })
    const listed = states.map((state) => `'${state}'`).join()
    const allowed = await ask(
      database.url,
      `select was, becomes from unnest(array[${listed}]) as was, unnest(array[${listed}]) as becomes
        where ${machine}_may_move(was, becomes)`,
    )
    expect(new Set(allowed.map(nameOf))).toEqual(new Set(legal.map(nameOf)))
  })
})

function nameOf({ was, becomes }: { was?: unknown; becomes?: unknown }): string {
  return `${was} → ${becomes}`
}
