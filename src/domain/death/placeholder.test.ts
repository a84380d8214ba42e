import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { NodeAtEnd } from './ending.ts'
import { isPlaceholder } from './placeholder.ts'
import { anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const node = (readyAt: number | null, status = 'True'): NodeAtEnd => ({
  ...{ isGone: false, isCordoned: false, taints: [] },
  conditions: [{ type: 'Ready', status, reason: 'KubeletReady', message: null, at: readyAt }],
})
const end = (nodeAtEnd: NodeAtEnd | null, over: Parameters<typeof aRunnerEnd>[0] = {}) => {
  const runner = aRunnerEnd({ reason: 'Unknown', exitCode: 255, startedAt: endedAt - 600_000, ...over })
  return classifyDeath(
    anEnd({ exitCode: runner.exitCode, pod: aPodEnd({ containers: [runner], nodeAtEnd }) }),
  )
}

describe('an end that the runtime made up', () => {
  it.each([
    [{ reason: 'Unknown', exitCode: 255 }, true],
    [{ reason: 'ContainerStatusUnknown', exitCode: 137 }, true],
    [{ reason: 'Error', exitCode: -1 }, true],
    [
      {
        reason: 'Completed',
        exitCode: 0,
        message: 'Unable to get init container status from container runtime and …',
      },
      true,
    ],
    [{ reason: 'Error', exitCode: 255 }, false],
    [{ reason: 'Completed', exitCode: 0 }, false],
  ])('%j: %s', (said, expected) => {
    expect(isPlaceholder(said)).toBe(expected)
  })

  it('is that of a lost node where its node came back after the runner had begun, also in older records', () => {
    const record = end(node(endedAt - 5_000))
    expect(record).toMatchObject({ class: 'node-lost', confidence: 'likely' })
    expect(record.because.join()).toContain('nobody saw its end')
    expect(record.ruledOut.join()).not.toContain('not a lost node')
  })

  it('explains nothing where its node was there all the time, or is not known', () => {
    for (const nodeAtEnd of [node(endedAt - 900_000), node(null), null]) {
      const record = end(nodeAtEnd)
      expect(record).toMatchObject({ class: 'unknown', confidence: 'unknown' })
      expect(record.because.join()).toContain('nobody saw its end')
      expect(record.ruledOut.join()).not.toContain('not a lost node')
    }
  })

  it('is not every 255: a program may end so, and CRI-O says the same of an end that it did not see', () => {
    const record = end(node(endedAt - 5_000), { reason: 'Error' })
    expect(record).toMatchObject({ class: 'failed', confidence: 'likely' })
    expect(record.unknown.join()).toContain('255')
    expect(record.ruledOut.join()).not.toContain('not a lost node')
    expect(end(node(endedAt - 900_000), { reason: 'Error' }).ruledOut.join()).toContain('not a lost node')
  })
})
