import { describe, expect, it } from 'vitest'
import { aJobAtEnd } from '../../../domain/death/testing.ts'
import { createStartProblems } from '../../pool/start-problems.ts'
import { noteVersion } from './note-version.ts'

const refused = { class: 'runner-outdated', because: ['Its listener ended with code 7.'], job: null } as const
const done = { class: 'clean', because: [], job: aJobAtEnd() } as const

function bench() {
  const startProblems = createStartProblems()
  const note = (record: Parameters<typeof noteVersion>[1], pool = 'linux') =>
    noteVersion({ pool }, record, { startProblems, clock: { now: () => 5 } as never })
  return { startProblems, note }
}

describe('a version of the runner that the forge refuses', () => {
  it('is reported on its pool, and on no other', () => {
    const { startProblems, note } = bench()
    note(refused)
    const shown = { kind: 'RunnerOutdated', message: 'Its listener ended with code 7.', since: 5 }
    expect(startProblems.of('linux')).toEqual(shown)
    expect(startProblems.of('other')).toBeNull()
  })

  it('is over once a runner of the pool has done a job', () => {
    const { startProblems, note } = bench()
    note(refused)
    note(done, 'other')
    expect(startProblems.of('linux')).not.toBeNull()
    note(done)
    expect(startProblems.of('linux')).toBeNull()
  })

  it('is not over because a runner left without a job', () => {
    const { startProblems, note } = bench()
    note(refused)
    note({ ...done, job: null })
    expect(startProblems.of('linux')).not.toBeNull()
  })
})
