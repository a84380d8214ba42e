import { expect, it } from 'vitest'
import type { Ending, PodEnd } from '../../../src/domain/death/index.ts'
import { aPodEnd } from '../../../src/domain/death/testing.ts'
import type { StartProblemKind } from '../../../src/domain/pool/index.ts'
import { cause, death, farMs, host, type MakeLedger, topic } from './kit.ts'

/** Runners that never got going, and where: by these nodes are judged. */
export function failedStarts(make: MakeLedger): void {
  topic('failed starts', make, (bench) => {
    const startProblem = (kind: StartProblemKind) => ({ kind, message: 'no', since: 1 })
    const podEnd = (node: string | null, over: Partial<PodEnd> = {}): PodEnd =>
      aPodEnd({ place: { namespace: 'ci', pod: 'pod', uid: 'uid', node }, containers: [], ...over })
    const never = (pod: PodEnd | null, over: Partial<Ending> = {}) =>
      death({ signal: null, startedAt: null, pod, ...over })
    const die = async (record: ReturnType<typeof death>, poll = false) => {
      const runner = await bench().bootingRunner()
      if (poll) await bench().ledger.polled(runner.id)
      await bench().ledger.sealDeath(runner.id, record, 'gone', cause)
      return runner.name
    }
    const found = async (withinMs = farMs) => await bench().ledger.failedStarts(host, withinMs)

    it('are listed newest first with their node and their problem', async () => {
      const first = await die(never(podEnd('node-a')))
      const second = await die(never(podEnd('node-b', { trouble: startProblem('SandboxFailed') })))
      expect(await found()).toEqual([
        {
          runner: second,
          pool: 'linux',
          node: 'node-b',
          startProblem: 'SandboxFailed',
          at: expect.any(Number),
        },
        { runner: first, pool: 'linux', node: 'node-a', startProblem: null, at: expect.any(Number) },
      ])
    })

    it('are not those of another host, nor older ones', async () => {
      await die(never(podEnd('node-a')))
      expect(await bench().ledger.failedStarts('another', farMs)).toEqual([])
      const { ledger } = bench()
      const [{ at } = { at: 0 }] = await found()
      while ((await ledger.now()) <= at); // until the ledger's clock has moved on
      expect(await found(0)).toEqual([])
    })

    it.each([
      ['that was never placed', never(podEnd(null, { trouble: startProblem('NoHealthyNode') }))],
      ['of a machine, not of a cluster', never(null)],
      ['of which nothing was left to read', null],
      ['that had started', death({ pod: podEnd('node-a') })],
      ['that we took away before its turn', never(podEnd('node-a'), { stopRequestedBy: 'the pool shrank' })],
      ['that somebody deleted', never(podEnd('node-a', { deletedAt: 5 }))],
      [
        'that was evicted',
        never(podEnd('node-a', { disruption: { reason: 'EvictionByEvictionAPI', message: '' } })),
      ],
    ])('are not one %s', async (_, record) => {
      await die(record ?? { ...never(null), ending: null })
      expect(await found()).toEqual([])
    })

    it('are also one that we gave up because of its start problem', async () => {
      const record = never(podEnd('node-a', { trouble: startProblem('ImagePull'), deletedAt: 5 }), {
        stopRequestedBy: 'it did not start',
      })
      await die(record)
      expect(await found()).toMatchObject([{ node: 'node-a', startProblem: 'ImagePull' }])
    })

    it('are not one that asked for work before, unless something was wrong with it', async () => {
      await die(never(podEnd('node-a')), true)
      expect(await found()).toEqual([])
      await die(never(podEnd('node-a', { trouble: startProblem('ImagePull') })), true)
      expect(await found()).toHaveLength(1)
    })
  })
}
