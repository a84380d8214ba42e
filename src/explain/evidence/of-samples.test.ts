import { expect, it } from 'vitest'
import { aHostSamples, endedAt } from '../../domain/death/testing.ts'
import { sampleItems } from './of-samples.ts'

const lastOf = (samples: Parameters<typeof sampleItems>[0]) => sampleItems(samples).at(-1)

it('says how old the newest sample was when the processes were gone', () => {
  const samples = aHostSamples({ endedAt: endedAt + 300, lastSampleAgeMs: 300 })
  expect(lastOf(samples)?.text).toMatch(/^The newest sample was .+ old when its processes were gone\.$/)
  expect(lastOf(samples)?.at).toBe(endedAt + 300)
})

it('names no end where the agent did not see one', () => {
  const text = lastOf(aHostSamples({ endedAt: null, lastSampleAgeMs: 0 }))?.text
  expect(text).toContain('when the agent last sent it; its group was still there then.')
  expect(text).not.toContain('gone')
})
