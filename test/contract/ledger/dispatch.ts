import { expect, it } from 'vitest'
import { attemptStages, cause, farMs, jit, type MakeLedger, neverRegistered, started, topic } from './kit.ts'

/** From the claim to the runner's registration at the forge, in the order of writes of a dispatch. */
export function dispatch(make: MakeLedger): void {
  topic('dispatch', make, (bench) => {
    it('moves attempt and job through every state of a dispatch', async () => {
      const { ledger } = bench()
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      const states = async () => [(await bench().attempt(held)).state, (await bench().job(jobId)).state]
      expect(await states()).toEqual(['claimed', 'claimed'])
      expect(await ledger.minted(held.handle, 77, jit('a'), farMs)).toEqual({ kind: 'ok' })
      expect(await states()).toEqual(['minted', 'claimed'])
      await ledger.deliver(held.handle, farMs)
      expect(await states()).toEqual(['delivered', 'delivered'])
      expect(await ledger.acknowledge(held.handle)).toEqual({ kind: 'ok' })
      expect(await states()).toEqual(['acknowledged', 'delivered'])
      expect(await ledger.registered(held.handle, farMs, cause)).toEqual({ kind: 'ok' })
      expect(await states()).toEqual(['registered', 'registered'])
      expect((await bench().attempt(held)).forgeRunnerId).toBe(77)
      await ledger.applyJobEvent(started(await bench().job(jobId), held.name), cause)
      expect(await states()).toEqual(['running', 'running'])
      expect((await bench().runner(held.runnerId)).state).toBe('busy')
    })

    it('gives the stored JIT again until the runner has registered (I2)', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const held = await bench().minted()
      const first = await ledger.deliver(held.handle, farMs)
      expect(first).toMatchObject({ kind: 'ok', jit: { keyId: 'key-1' } })
      const again = await ledger.deliver(held.handle, farMs)
      await ledger.acknowledge(held.handle)
      const afterAck = await ledger.deliver(held.handle, farMs)
      for (const result of [first, again, afterAck]) {
        expect(result.kind === 'ok' && text(result.jit.bytes)).toBe(text(jit(held.handle).bytes))
      }
      expect((await bench().attempt(held)).state).toBe('acknowledged')
    })

    it('does not give a JIT any more once the runner has registered', async () => {
      await bench().queue(1)
      const held = await bench().registered()
      expect(await bench().ledger.deliver(held.handle, farMs)).toEqual({ kind: 'lost' })
    })

    it('does not give a JIT that was never stored', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      expect(await bench().ledger.deliver(held.handle, farMs)).toEqual({ kind: 'lost' })
      expect((await bench().attempt(held)).deliveredAt).toBeNull()
    })

    it('keeps the first delivery time when the JIT is given again', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      const before = await bench().attempt(held)
      await bench().ledger.deliver(held.handle, farMs)
      expect((await bench().attempt(held)).deliveredAt).toBe(before.deliveredAt)
    })

    it('keeps the first JIT when a second mint is written for the same attempt (I2)', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const held = await bench().minted()
      expect(await ledger.minted(held.handle, 99, jit('second'), farMs)).toEqual({ kind: 'ok' })
      const given = await ledger.deliver(held.handle, farMs)
      expect(given.kind === 'ok' && text(given.jit.bytes)).toBe(text(jit(held.handle).bytes))
      expect((await bench().attempt(held)).forgeRunnerId).toBe(1000 + held.runnerId)
    })

    it('accepts repeated and late steps without moving anything backwards (I8)', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const held = await bench().registered()
      const before = await bench().file(held.jobId)
      expect(await ledger.minted(held.handle, 1, jit('late'), farMs)).toEqual({ kind: 'ok' })
      expect(await ledger.acknowledge(held.handle)).toEqual({ kind: 'ok' })
      expect(await ledger.registered(held.handle, farMs, cause)).toEqual({ kind: 'ok' })
      expect(await bench().file(held.jobId)).toEqual(before)
    })

    it('accepts late steps of an attempt that runs', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const held = await bench().running()
      const before = await bench().file(held.jobId)
      expect(await ledger.acknowledge(held.handle)).toEqual({ kind: 'ok' })
      expect(await ledger.registered(held.handle, farMs, cause)).toEqual({ kind: 'ok' })
      expect(await bench().file(held.jobId)).toEqual(before)
    })

    it('accepts that a runner registers before its acknowledgement arrives', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const held = await bench().delivered()
      expect(await ledger.registered(held.handle, farMs, cause)).toEqual({ kind: 'ok' })
      expect(await ledger.acknowledge(held.handle)).toEqual({ kind: 'ok' })
      expect((await bench().attempt(held)).state).toBe('registered')
    })

    it.each(attemptStages)(
      'says lost to every write of an attempt that was %s and has ended',
      async (stage) => {
        const { ledger } = bench()
        await bench().queue(1)
        const held = await bench()[stage]()
        await ledger.endAttempt(held.handle, { ...neverRegistered, kind: 'runnerGone' }, cause)
        const before = await bench().file(held.jobId)
        const lost = { kind: 'lost' }
        expect(await ledger.minted(held.handle, 1, jit('late'), farMs)).toEqual(lost)
        expect(await ledger.deliver(held.handle, farMs)).toEqual(lost)
        expect(await ledger.acknowledge(held.handle)).toEqual(lost)
        expect(await ledger.registered(held.handle, farMs, cause)).toEqual(lost)
        expect(await ledger.endAttempt(held.handle, neverRegistered, cause)).toEqual(lost)
        const failure = {
          reason: 'late',
          concerns: 'job',
          delayMs: 0,
          failuresMax: 1,
          incident: null,
        } as const
        expect(await ledger.mintFailed(held.handle, failure)).toEqual(lost)
        expect(await bench().file(held.jobId)).toEqual(before)
      },
    )

    it('says lost to a handle that never was', async () => {
      const { ledger } = bench()
      const handle = bench().handle()
      expect(await ledger.minted(handle, 1, jit('none'), farMs)).toEqual({ kind: 'lost' })
      expect(await ledger.deliver(handle, farMs)).toEqual({ kind: 'lost' })
      expect(await ledger.acknowledge(handle)).toEqual({ kind: 'lost' })
      expect(await ledger.registered(handle, farMs, cause)).toEqual({ kind: 'lost' })
      expect(await ledger.endAttempt(handle, neverRegistered, cause)).toEqual({ kind: 'lost' })
    })

    it('sets the deadline of each step by its own clock', async () => {
      const { ledger } = bench()
      await bench().queue(1)
      const held = await bench().claimed({ deadlineMs: 1000 })
      const deadlineOf = async () => (await bench().attempt(held)).checkAt - (await ledger.now())
      expect(near(await deadlineOf(), 1000)).toBe(true)
      await ledger.minted(held.handle, 1, jit('a'), 2 * farMs)
      expect(near(await deadlineOf(), 2 * farMs)).toBe(true)
      await ledger.deliver(held.handle, 3 * farMs)
      expect(near(await deadlineOf(), 3 * farMs)).toBe(true)
      await ledger.registered(held.handle, 4 * farMs, cause)
      expect(near(await deadlineOf(), 4 * farMs)).toBe(true)
    })
  })
}

const slackMs = 60_000

function near(leftMs: number, durationMs: number): boolean {
  return leftMs <= durationMs && leftMs > durationMs - slackMs
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
