import { describe, expect, it } from 'vitest'
import { aJobAtEnd } from '../../../domain/death/testing.ts'
import { createTroubleBoard } from '../../pool/trouble-board.ts'
import { noteVersion } from './note-version.ts'

const refused = { class: 'runner-outdated', because: ['Its listener ended with code 7.'], job: null } as const
const done = { class: 'clean', because: [], job: aJobAtEnd() } as const

function bench() {
  const troubles = createTroubleBoard()
  const note = (record: Parameters<typeof noteVersion>[1], pool = 'linux') =>
    noteVersion({ pool }, record, { troubles, clock: { now: () => 5 } as never })
  return { troubles, note }
}

describe('a version of the runner that the forge refuses', () => {
  it('is shown on its pool, and on no other', () => {
    const { troubles, note } = bench()
    note(refused)
    const shown = { kind: 'RunnerOutdated', message: 'Its listener ended with code 7.', since: 5 }
    expect(troubles.of('linux')).toEqual(shown)
    expect(troubles.of('other')).toBeNull()
  })

  it('is over once a runner of the pool has done a job', () => {
    const { troubles, note } = bench()
    note(refused)
    note(done, 'other')
    expect(troubles.of('linux')).not.toBeNull()
    note(done)
    expect(troubles.of('linux')).toBeNull()
  })

  it('is not over because a runner left without a job', () => {
    const { troubles, note } = bench()
    note(refused)
    note({ ...done, job: null })
    expect(troubles.of('linux')).not.toBeNull()
  })
})
