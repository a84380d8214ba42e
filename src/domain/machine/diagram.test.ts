import { describe, expect, it } from 'vitest'
import { diagram } from './index.ts'

describe('diagram', () => {
  it('draws the beginning, each move once with all its events, and the ends', () => {
    const moves = { open: { shut: 'over', lost: 'over', wait: 'open' }, over: {} } as const
    expect(diagram<'open' | 'over', string>(moves, ['open', 'over'])).toBe(
      [
        'stateDiagram-v2',
        '  [*] --> open',
        '  open --> open: wait',
        '  open --> over: shut, lost',
        '  over --> [*]',
      ].join('\n'),
    )
  })
})
