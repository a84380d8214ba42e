import { expect, it } from 'vitest'
import { cause, contractInstallation, farMs, type MakeLedger, topic } from './kit.ts'

/** Runs about which the forge need not be asked again. */
export function settledRuns(make: MakeLedger): void {
  topic('settled runs', make, (bench) => {
    const settled = async (since = 0, installation = contractInstallation) =>
      [...(await bench().ledger.settledRuns(installation, since))].sort()
    const close = async (jobId: number) => void (await bench().ledger.closeJob(jobId, 'gone', cause))

    it('gives the runs of which every job has ended', async () => {
      for (const n of [1, 2]) await close(await bench().queue(n, { runId: 7 }))
      await close(await bench().queue(3, { runId: 8 }))
      expect(await settled()).toEqual([7, 8])
    })

    it('does not give a run with a job that waits', async () => {
      await close(await bench().queue(1, { runId: 7 }))
      await bench().queue(2, { runId: 7 })
      expect(await settled()).toEqual([])
    })

    it.each(['claimed', 'delivered', 'registered', 'running'] as const)(
      'does not give a run with a job that is %s',
      async (stage) => {
        await close(await bench().queue(1, { runId: 7 }))
        await bench().queue(2, { runId: 7 })
        await bench()[stage]()
        expect(await settled()).toEqual([])
      },
    )

    it('does not give a run of which every job was seen before', async () => {
      await close(await bench().queue(1, { runId: 7 }))
      const { seenAt } = await bench().job(1)
      expect(await settled(seenAt)).toEqual([7])
      expect(await settled(seenAt + farMs)).toEqual([])
    })

    it('does not give the runs of another installation', async () => {
      await close(await bench().queue(1, { runId: 7 }))
      await bench().queue(2, { runId: 7, installation: 'elsewhere' })
      expect(await settled(0, 'elsewhere')).toEqual([])
      expect(await settled()).toEqual([7])
    })

    it('still gives a run once its jobs are archived', async () => {
      await close(await bench().queue(1, { runId: 7 }))
      const { seenAt } = await bench().job(1)
      await bench().ledger.archive(0, 10)
      expect(await settled(seenAt)).toEqual([7])
      expect(await settled(seenAt + farMs)).toEqual([])
      await bench().queue(2, { runId: 7 })
      expect(await settled()).toEqual([])
    })
  })
}
