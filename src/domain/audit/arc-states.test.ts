import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../test/support/arc-states.ts'
import { burst } from './burst/index.ts'
import { fileTable } from './file-table/index.ts'
import { imagefs } from './imagefs/index.ts'
import { network } from './network/index.ts'
import { oom } from './oom/index.ts'
import { pending } from './pending/index.ts'
import { sharedLabels } from './shared-labels/index.ts'
import { found, judged } from './testing/judge.ts'

const aboutPods = [burst, sharedLabels, imagefs, oom, fileTable, network, pending]

/** The troubles of these states are ARC's own; but for an image, nothing is wrong with pods, labels and nodes. */
describe.each(arcStates())('pods, labels and nodes in the state %s of ARC', (state) => {
  it('have the findings that this state shows, and no others', () => {
    const snapshot = arcSnapshot(state, { withForge: true })
    const expected = state.includes('j-image-pull') ? ['image-pull-blocked arc-systems'] : []
    expect(aboutPods.flatMap((audit) => found(judged(audit, snapshot)))).toEqual(expected)
  })
})
