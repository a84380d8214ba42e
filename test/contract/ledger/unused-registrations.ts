import { expect, it } from 'vitest'
import {
  cause,
  contractInstallation,
  farMs,
  jobEvent,
  type MakeLedger,
  neverRegistered,
  started,
  topic,
} from './kit.ts'

/** Registrations at the forge that may have to be taken away, because their attempt ended before they were used. */
export function unusedRegistrations(make: MakeLedger): void {
  topic('unused registrations', make, (bench) => {
    const unused = async (since = 0, installation = contractInstallation) =>
      (await bench().ledger.unusedRegistrations(installation, since)).map((each) => each.forgeRunnerName)
    /** The forge says that somebody else runs the job. */
    const takeAway = async (jobId: number) => {
      await bench().ledger.applyJobEvent(started(await bench().job(jobId), 'somebody-else'), cause)
    }

    // A mint whose answer was lost leaves the attempt claimed, and the forge with a runner of its name.
    it.each(['claimed', 'minted', 'delivered', 'acknowledged'] as const)(
      'gives that of an attempt that was %s when its job went elsewhere',
      async (stage) => {
        await bench().queue(1)
        const { jobId, name } = await bench()[stage]()
        await takeAway(jobId)
        const [found] = await bench().ledger.unusedRegistrations(contractInstallation, 0)
        const { repository } = await bench().job(jobId)
        expect(found).toEqual({ repository, forgeRunnerName: name, endedAt: expect.any(Number) })
      },
    )

    it('gives that of an attempt whose job was cancelled before its runner came', async () => {
      await bench().queue(1)
      const { name } = await bench().minted()
      await bench().ledger.applyJobEvent(jobEvent(1, 'completed', { conclusion: 'cancelled' }), cause)
      expect(await unused()).toEqual([name])
    })

    it('gives none where the runner was seen at the forge', async () => {
      await bench().queue(2)
      await takeAway((await bench().registered()).jobId)
      await bench().queue(3)
      await takeAway((await bench().running()).jobId)
      expect(await unused()).toEqual([])
    })

    it('does not give that of a runner of which the forge only reported the end of its job', async () => {
      await bench().queue(1)
      const { name } = await bench().acknowledged()
      await bench().ledger.applyJobEvent(
        jobEvent(1, 'completed', { conclusion: 'success', runnerName: name }),
        cause,
      )
      expect(await unused()).toEqual([])
    })

    it('does not give that of an attempt that is open, or that recovery ended', async () => {
      await bench().queue(1)
      const { handle } = await bench().acknowledged()
      expect(await unused()).toEqual([])
      await bench().ledger.endAttempt(handle, neverRegistered, cause)
      expect(await unused()).toEqual([])
    })

    it('gives those since then, of this installation', async () => {
      await bench().queue(1)
      const { jobId, name } = await bench().delivered()
      await takeAway(jobId)
      const [found] = await bench().ledger.unusedRegistrations(contractInstallation, 0)
      const endedAt = found?.endedAt as number
      expect(await unused(endedAt)).toEqual([name])
      expect(await unused(endedAt + farMs)).toEqual([])
      expect(await unused(0, 'elsewhere')).toEqual([])
    })
  })
}
