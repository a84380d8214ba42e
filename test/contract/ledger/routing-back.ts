import { expect, it } from 'vitest'
import {
  type Bench,
  cause,
  type Held,
  jobEvent,
  type MakeLedger,
  neverRegistered,
  pool,
  started,
  topic,
} from './kit.ts'

const gpu = ['self-hosted', 'gpu'] as const

/** Each way back into the queue, from a job that is held by an attempt of ours. */
const waysBack: Readonly<Record<string, (bench: Bench, held: Held) => Promise<unknown>>> = {
  'its claim expired': ({ ledger }, { handle }) => {
    const end = { kind: 'claimExpired', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const
    return ledger.endAttempt(handle, end, cause)
  },
  'its mint was refused': ({ ledger }, { handle }) => {
    const failure = { reason: 'no', concerns: 'job', delayMs: 0, failuresMax: 9, incident: null } as const
    return ledger.mintFailed(handle, failure)
  },
  'its runner never registered': async ({ ledger }, { handle, runnerId, name }) => {
    await ledger.minted(handle, 1000 + runnerId, { keyId: 'k', bytes: new TextEncoder().encode(name) }, 1000)
    await ledger.deliver(handle, 1000)
    return ledger.endAttempt(handle, neverRegistered, cause)
  },
  'its runner was given another job': async ({ ledger }, { handle, runnerId, name }) => {
    await ledger.minted(handle, 1000 + runnerId, { keyId: 'k', bytes: new TextEncoder().encode(name) }, 1000)
    await ledger.deliver(handle, 1000)
    return ledger.applyJobEvent(
      jobEvent(99, 'in_progress', { labels: ['self-hosted'], runnerName: name }),
      cause,
    )
  },
  'a stranger ran it and gave it back': async (bench, { handle, jobId }) => {
    const { ledger } = bench
    const end = { kind: 'claimExpired', proof: null, fate: { kind: 'requeue', delayMs: 0 } } as const
    await ledger.applyJobEvent(started(await bench.job(jobId), 'theirs'), cause)
    expect((await ledger.endAttempt(handle, end, cause)).kind).toBe('lost')
    return ledger.requeueJob(jobId, cause)
  },
}

/** I6: what comes back into the queue waits where the pools as they are now lead it. */
export function routingBack(make: MakeLedger): void {
  topic('a job that comes back into the queue', make, (bench) => {
    const gpuPool = (name: string) => pool({ name, labels: [...gpu] })
    const heldGpuJob = async () => {
      await bench().ledger.putPools([pool(), gpuPool('gpu')], cause)
      await bench().queue(1, { labels: [...gpu] })
      return bench().claimed({ pool: 'gpu' })
    }

    it.each(Object.keys(waysBack))('because %s goes to the pool that has its label now', async (way) => {
      const held = await heldGpuJob()
      const changed = pool({ name: 'gpu', labels: ['self-hosted', 'arm'] })
      await bench().ledger.putPools([pool(), changed, gpuPool('new')], cause)
      await waysBack[way]?.(bench(), held)
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'queued', pool: 'new' })
      expect((await bench().claimed({ pool: 'new' })).jobId).toBe(held.jobId)
    })

    it.each(Object.keys(waysBack))('because %s stays where it was if that serves it still', async (way) => {
      const held = await heldGpuJob()
      await bench().ledger.putPools([pool(), gpuPool('another'), gpuPool('gpu')], cause)
      await waysBack[way]?.(bench(), held)
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'queued', pool: 'gpu' })
    })

    it('goes to a pool that was declared while a stranger ran it, though none served it before', async () => {
      const jobId = await bench().queue(1, { labels: [...gpu] })
      expect(await bench().job(jobId)).toMatchObject({ pool: null })
      await bench().ledger.applyJobEvent(started(await bench().job(jobId), 'theirs'), cause)
      await bench().ledger.putPools([pool(), gpuPool('gpu')], cause)
      expect(await bench().ledger.requeueJob(jobId, cause)).toBe('requeued')
      expect(await bench().job(jobId)).toMatchObject({ state: 'queued', pool: 'gpu' })
      expect((await bench().claimed({ pool: 'gpu' })).jobId).toBe(jobId)
    })

    it('is left without a pool where none serves it', async () => {
      const held = await heldGpuJob()
      await bench().ledger.putPools([pool()], cause)
      await waysBack['its claim expired']?.(bench(), held)
      expect(await bench().job(held.jobId)).toMatchObject({ state: 'queued', pool: null })
    })
  })
}
