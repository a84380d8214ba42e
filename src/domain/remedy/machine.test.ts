import { describe, expect, it } from 'vitest'
import { isEnded, isRefusal, type RemedyEvent, remedyAfter, remedyMoves, remedyStates } from './machine.ts'

const events = [
  ...new Set(Object.values(remedyMoves).flatMap((moves) => Object.keys(moves))),
] as RemedyEvent[]

describe('the machine of every remedy', () => {
  it('goes from what was observed to what is done, one object after the other', () => {
    const path: RemedyEvent[] = [
      'classify',
      'seal',
      'plan',
      'approve',
      're-check',
      'act',
      'verify',
      'next',
      're-check',
      'act',
      'verify',
      'finish',
    ]
    let state = remedyAfter('observed', 'classify')
    for (const event of path.slice(1)) state = isRefusal(state) ? state : remedyAfter(state, event)
    expect(state).toBe('done')
  })

  it('acts after a re-check and after nothing else', () => {
    const acting = remedyStates.filter((state) => !isRefusal(remedyAfter(state, 'act')))
    expect(acting).toEqual(['re-checked'])
  })

  it('goes on to the next object, and ends well, only after a verification', () => {
    for (const event of ['next', 'finish'] as const)
      expect(remedyStates.filter((state) => !isRefusal(remedyAfter(state, event)))).toEqual(['verified'])
  })

  it('leaves no end', () => {
    const ends = remedyStates.filter(isEnded)
    expect(ends).toEqual(['done', 'blocked', 'aborted', 'escalated'])
    for (const end of ends) for (const event of events) expect(isRefusal(remedyAfter(end, event))).toBe(true)
  })

  it('never calls it blocked or aborted once something was done and not verified', () => {
    expect(Object.values(remedyMoves.acted)).toEqual(['verified', 'escalated'])
  })
})
