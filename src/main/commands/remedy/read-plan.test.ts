import { describe, expect, it } from 'vitest'
import { contaminatedWorld } from '../../../../test/support/workdirs/host-world.ts'
import type { HostPlan, WorkdirPlan } from '../../../domain/remedy/index.ts'
import { planWorkdir } from '../../../remedy/index.ts'
import { readPlan } from './read-plan.ts'

describe('a plan that is read to be applied', async () => {
  const { deps } = await contaminatedWorld()
  const order = { folder: 'web', mode: 'remove' } as const
  const { plan, hash } = await planWorkdir(order, deps, new AbortController().signal)
  const plans = { read: async () => plan }

  it('is given to the command of its remedy', async () => {
    expect(await readPlan<WorkdirPlan>(plans, hash, 'workdir-remediate')).toBe(plan)
  })

  it('is refused by the command of another', async () => {
    await expect(readPlan<HostPlan>(plans, hash, 'host-drain')).rejects.toThrow(
      'is one of workdir-remediate; this command applies plans of host-drain',
    )
  })
})
