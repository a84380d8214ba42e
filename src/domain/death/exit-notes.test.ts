import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { Ending, NodeAtEnd } from './ending.ts'
import { anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const judge = (over: Partial<Ending>) => classifyDeath(anEnd(over), { job: null, ring: null })
const inPod = (exitCode: number, signal: number | null = null) =>
  aPodEnd({ containers: [aRunnerEnd({ exitCode, signal })] })

describe('an exit code that may stand for a signal', () => {
  it.each([
    [143, 'terminated', 'SIGTERM'],
    [139, 'crash', 'SIGSEGV'],
    [134, 'crash', 'SIGABRT'],
  ] as const)('%i alone is %s, likely, and says what else it could be', (exitCode, expected, signal) => {
    const record = judge({ exitCode, pod: inPod(exitCode) })
    expect(record).toMatchObject({ class: expected, confidence: 'likely' })
    expect(record.because.join()).toContain(`exit code ${exitCode}`)
    expect(record.unknown.join()).toContain(
      `whether ${signal} ended it, or a program of it ended with ${exitCode}`,
    )
  })

  it('with a deletion that is dated later says that the deletion may have come first, and not without one', () => {
    const later = { ...inPod(143), deletedAt: endedAt + 1_000 }
    const note = 'whether its pod was asked to go before that'
    const record = judge({ exitCode: 143, pod: later })
    expect(record).toMatchObject({ class: 'terminated', confidence: 'likely' })
    expect(record.unknown.join()).toContain(note)
    expect(judge({ exitCode: 143, pod: inPod(143) }).unknown.join()).not.toContain(note)
  })

  it('with the signal that the runtime names is proven', () => {
    expect(judge({ exitCode: 143, signal: 'SIGTERM', pod: inPod(143, 15) })).toMatchObject({
      class: 'terminated',
      confidence: 'proven',
    })
    expect(judge({ exitCode: 139, signal: 'SIGSEGV', pod: inPod(139, 11) })).toMatchObject({
      class: 'crash',
      confidence: 'proven',
    })
  })
})

describe('a pod that the taint manager deleted', () => {
  const taint = (key: string, effect = 'NoExecute', at = endedAt - 60_000) => ({
    key,
    value: null,
    effect,
    at,
  })
  const node = (...taints: NodeAtEnd['taints']): NodeAtEnd => ({
    isGone: false,
    isCordoned: false,
    conditions: [],
    taints,
  })
  const tainted = (nodeAtEnd: NodeAtEnd | null) =>
    judge({
      exitCode: 143,
      pod: aPodEnd({
        disruption: {
          reason: 'DeletionByTaintManager',
          message: 'Taint manager: deleting due to NoExecute taint',
        },
        deletedAt: endedAt - 2_000,
        nodeAtEnd,
      }),
    })

  it.each(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])(
    'by %s lost its node',
    (key) => {
      const record = tainted(node(taint(key), taint('dedicated', 'NoSchedule')))
      expect(record).toMatchObject({ class: 'node-lost', confidence: 'likely' })
      expect(record.because.join()).toContain(key)
    },
  )

  it('by any other key was on a node that somebody drained, and names the key', () => {
    const record = tainted(
      node(taint('acme.dev/repair'), taint('node.kubernetes.io/unreachable', 'NoSchedule')),
    )
    expect(record).toMatchObject({ class: 'node-drained', confidence: 'likely' })
    expect(record.because.join()).toContain('acme.dev/repair')
  })

  it('by a taint that is not there any more is not called a lost node', () => {
    for (const record of [tainted(node()), tainted(null)]) {
      expect(record).toMatchObject({ class: 'node-drained', confidence: 'likely' })
      expect(record.unknown.join()).toContain('which taint it was')
    }
  })

  it('is not blamed on a deletion that was cancelled', () => {
    const event = {
      type: 'Normal',
      reason: 'TaintManagerEviction',
      count: 1,
      firstAt: endedAt,
      lastAt: endedAt,
    }
    const pod = (message: string) => ({ ...inPod(1), events: [{ ...event, message }] })
    expect(judge({ exitCode: 1, pod: pod('Cancelling deletion of Pod ci/linux-1') }).class).toBe('failed')
    expect(judge({ exitCode: 1, pod: pod('Marking for deletion Pod ci/linux-1') }).class).toBe('node-drained')
  })
})
