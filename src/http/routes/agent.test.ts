import { describe, expect, it } from 'vitest'
import { agentToken, createBench } from '../../../test/support/holdfast-app.ts'
import type { HostSamples } from '../../domain/death/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'

const sample = {
  at: 1_700_000_000_000,
  memoryBytes: 5,
  memoryLimitBytes: 9,
  oomKills: 1,
  cpuMs: 3,
  throttledMs: null,
  processes: 2,
  memoryPressure: 1.5,
  cpuPressure: 0,
  ioPressure: null,
  nodeMemoryFreeBytes: 1,
  nodeFilesOpen: 1,
  nodeFilesMax: null,
  nodeDiskFreeBytes: 1,
  nodeInodesFree: 1,
  nodeConntrack: 1,
  nodeConntrackMax: 2,
}
const ring: HostSamples = {
  podUid: 'uid-1',
  node: 'node-1',
  samples: [sample],
  lastSampleAgeMs: 1_000,
  missing: ['x'],
  oomLines: [{ at: 1_700_000_000_000, line: 'oom-kill:…' }],
  endedAt: 1_700_000_001_000,
}
const path = '/v1/agent/rings'
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code

describe('POST /v1/agent/rings', () => {
  it('keeps a ring, also of a pod that is not known', async () => {
    const { ledger, post } = await createBench()
    const answer = await post(path, agentToken, ring)
    expect([answer.status, await answer.json()]).toEqual([202, { kind: 'kept' }])
    expect(await ledger.hostSamples({ podUid: 'uid-1', node: 'node-1' })).toEqual(ring)
  })

  it('accepts fields of a newer agent, and leaves out those that it does not know', async () => {
    const { ledger, post } = await createBench()
    const seen = { ...sample, processesMax: 100, forksRefused: 3 }
    const answer = await post(path, agentToken, { ...ring, samples: [{ ...seen, ofTomorrow: 1 }] })
    expect(answer.status).toBe(202)
    expect(await ledger.hostSamples({ podUid: 'uid-1', node: 'node-1' })).toEqual({
      ...ring,
      samples: [seen],
    })
  })

  it('takes a repeated ring, and says of an older one that it is', async () => {
    const { post } = await createBench()
    for (const kind of ['kept', 'kept'])
      expect(await (await post(path, agentToken, ring)).json()).toEqual({ kind })
    const answer = await post(path, agentToken, { ...ring, endedAt: null })
    expect([answer.status, await answer.json()]).toEqual([202, { kind: 'older' }])
  })

  it.each([undefined, 'a-wrong-token'])(
    'rejects a request with %s before it reads the body',
    async (token) => {
      const { ledger, post } = await createBench()
      const answer = await post(path, token, 'no JSON at all')
      expect([answer.status, await codeOf(answer)]).toEqual([401, 'E_AGENT_REFUSED'])
      expect(await ledger.hostSamples({ podUid: 'uid-1', node: 'node-1' })).toBeNull()
    },
  )

  it('accepts from an agent only samples of the node that its token names', async () => {
    const { ledger, post } = await createBench({ agents: { of: async (proof) => ({ node: proof }) } })
    const answer = await post(path, 'node-2', ring)
    expect([answer.status, await codeOf(answer)]).toEqual([409, 'E_AGENT_NODE'])
    expect(await ledger.hostSamples({ podUid: 'uid-1', node: 'node-1' })).toBeNull()
    expect((await post(path, 'node-1', ring)).status).toBe(202)
  })

  it('does not let another node speak for the one on which a pod is, also where it came first', async () => {
    const { ledger, post } = await createBench()
    await post(path, agentToken, { ...ring, node: 'node-2', endedAt: 1_800_000_000_000 })
    expect((await post(path, agentToken, ring)).status).toBe(202)
    expect(await ledger.hostSamples({ podUid: 'uid-1', node: 'node-1' })).toEqual(ring)
  })

  it('answers 503 with Retry-After where the token cannot be reviewed', async () => {
    const agents = {
      of: () => Promise.reject(new HoldfastError('E_OVERLOADED', { what: 'reviews', max: 1 })),
    }
    const { post } = await createBench({ agents })
    const answer = await post(path, agentToken, ring)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  })

  it.each([
    ['a body that is too large', `{"podUid":"${'x'.repeat(400_000)}"}`, 413],
    ['too many samples', { ...ring, samples: Array.from({ length: 201 }, () => sample) }, 400],
    ['a line that is too long', { ...ring, oomLines: [{ at: 1, line: 'x'.repeat(2_001) }] }, 400],
    ['a time that is none', { ...ring, endedAt: 1e300 }, 400],
    ['a field that nobody knows', { ...ring, more: 1 }, 400],
    ['a pod without a name', { ...ring, podUid: '' }, 400],
    ['a number below zero', { ...ring, samples: [{ ...sample, memoryBytes: -1 }] }, 400],
  ])('refuses %s', async (_, body, status) => {
    const { ledger, post } = await createBench()
    expect((await post(path, agentToken, body)).status).toBe(status)
    expect(await ledger.hostSamples({ podUid: 'uid-1', node: 'node-1' })).toBeNull()
  })
})
