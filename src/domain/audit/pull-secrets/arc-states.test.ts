import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../../test/support/arc-states.ts'
import { found, judged } from '../testing/judge.ts'
import { pullSecrets } from './index.ts'

describe('states that three real releases of ARC wrote', () => {
  it.each(arcStates())('%s: a refused pull is found where there is one, and nowhere else', (state) => {
    const { cluster, ...rest } = arcSnapshot(state, { withForge: true })
    const listener = cluster.listeners.items[0]?.name
    const expected = state.endsWith('/j-image-pull') ? [`controller-pull-secret-missing ${listener}`] : []
    expect(found(judged(pullSecrets, { cluster, ...rest }))).toEqual(expected)
  })
})
