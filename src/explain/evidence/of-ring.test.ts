import { expect, it } from 'vitest'
import { aHostRing, endedAt } from '../../domain/death/testing.ts'
import { ringItems } from './of-ring.ts'

const lastOf = (ring: Parameters<typeof ringItems>[0]) => ringItems(ring).at(-1)

it('says how old the newest sample was when the processes were gone', () => {
  const ring = aHostRing({ endedAt: endedAt + 300, lastSampleAgeMs: 300 })
  expect(lastOf(ring)?.text).toMatch(/^The newest sample was .+ old when its processes were gone\.$/)
  expect(lastOf(ring)?.at).toBe(endedAt + 300)
})

it('does not speak of an end that the agent did not see', () => {
  const text = lastOf(aHostRing({ endedAt: null, lastSampleAgeMs: 0 }))?.text
  expect(text).toContain('when the agent last sent it; its group was still there then.')
  expect(text).not.toContain('gone')
})
