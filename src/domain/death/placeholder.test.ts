import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { NodeAtEnd, PodEnd } from './ending.ts'
import { isPlaceholder } from './placeholder.ts'
import { anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const node = (readyAt: number | null, status = 'True'): NodeAtEnd => ({
  isGone: false,
  isCordoned: false,
  taints: [],
  conditions: [{ type: 'Ready', status, reason: 'KubeletReady', message: null, at: readyAt }],
})
const end = (
  nodeAtEnd: NodeAtEnd | null,
  over: Parameters<typeof aRunnerEnd>[0] = {},
  pod: Partial<PodEnd> = {},
) => {
  const runner = aRunnerEnd({ reason: 'Unknown', exitCode: 255, startedAt: endedAt - 600_000, ...over })
  return classifyDeath(
    anEnd({ exitCode: runner.exitCode, pod: aPodEnd({ containers: [runner], nodeAtEnd, ...pod }) }),
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
  ])('%j: %s', (given, expected) => {
    expect(isPlaceholder(given)).toBe(expected)
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

  const booted = (readyAt: number | null, bootId: string | null = 'b') => ({ ...node(readyAt), bootId })
  const rebooted = (
    nodeAtEnd: NodeAtEnd,
    over: Parameters<typeof aRunnerEnd>[0] = {},
    pod: Partial<PodEnd> = {},
  ) => end(nodeAtEnd, over, { bootIdAtStart: 'a', ...pod })

  it('is that of a lost node where its node is in another boot, also where its readiness does not show that', () => {
    for (const readyAt of [null, endedAt - 900_000, endedAt + 20_000]) {
      const record = rebooted(booted(readyAt))
      expect(record).toMatchObject({ class: 'node-lost', confidence: 'likely' })
      expect(record.because.join()).toContain('(boot a, then b)')
      expect(record.ruledOut.join()).not.toContain('not a lost node')
    }
  })

  it.each([
    ['is in the same boot', booted(null, 'a'), {}],
    ['is in a boot that is not known', booted(null, null), {}],
    ['was in one that nobody wrote down', booted(null), { bootIdAtStart: null }],
    ['was rebooted long after the runner had ended', booted(endedAt + 600_000), {}],
  ])('is not that of a lost node where its node %s', (_, nodeAtEnd, pod) => {
    expect(rebooted(nodeAtEnd, {}, pod)).toMatchObject({ class: 'unknown', confidence: 'unknown' })
  })

  it('is likely what CRI-O says of an end that it did not see, where its node is in another boot', () => {
    const record = rebooted(booted(endedAt + 5_000), { reason: 'Error' })
    expect(record).toMatchObject({ class: 'node-lost', confidence: 'likely' })
    expect(record.unknown.join()).toContain('whether its program itself ended with 255')
    const nearest = [
      rebooted(booted(endedAt + 600_000), { reason: 'Error' }),
      rebooted(booted(null), { reason: 'Error', exitCode: 1 }),
      rebooted(booted(null), { reason: 'Error' }, { deletedAt: endedAt - 5_000 }),
    ]
    for (const { class: found } of nearest) expect(found).not.toBe('node-lost')
  })

  it('is not assumed for an end that was seen: the reboot of its node is only mentioned', () => {
    const record = rebooted(booted(endedAt + 5_000), { reason: 'Error', exitCode: 1 })
    expect(record.class).toBe('failed')
    expect(record.because.join()).toContain('was rebooted')
    expect(
      rebooted(booted(endedAt + 600_000), { reason: 'Error', exitCode: 1 }).because.join(),
    ).not.toContain('was rebooted')
  })

  it('is not every 255: a program may end so, and CRI-O says the same of an end that it did not see', () => {
    const record = end(node(endedAt - 5_000), { reason: 'Error' })
    expect(record).toMatchObject({ class: 'failed', confidence: 'likely' })
    expect(record.unknown.join()).toContain('255')
    expect(record.ruledOut.join()).not.toContain('not a lost node')
    expect(end(node(endedAt - 900_000), { reason: 'Error' }).ruledOut.join()).toContain('not a lost node')
  })
})
