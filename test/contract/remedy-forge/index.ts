import { describe, expect, it } from 'vitest'
import type { RemedyForge } from '../../../src/ports/remedy.ts'

const never = new AbortController().signal

/** A forge as a remedy needs it, with one job that waits and one that runs, both of `acme/web`. */
export interface RemedyForgeBench {
  readonly forge: RemedyForge
  readonly queued: number
  readonly running: number
}

/** The contract of every RemedyForge about jobs. */
export function remedyForgeContract(open: () => Promise<RemedyForgeBench>): void {
  describe('the jobs of a forge, for a remedy', () => {
    it('that wait are listed for a repository and for its owner, and no others', async () => {
      const { forge, queued } = await open()
      for (const where of [
        { scope: 'acme', repository: 'acme/web' },
        { scope: 'acme/web', repository: 'acme/web' },
        { scope: 'acme', repository: null },
      ]) {
        const jobs = await forge.readQueuedJobs(where, never)
        expect(jobs.map(({ jobId, status, repository }) => [jobId, status, repository])).toEqual([
          [queued, 'queued', 'acme/web'],
        ])
      }
    })

    it('are none of another owner', async () => {
      const { forge } = await open()
      expect(await forge.readQueuedJobs({ scope: 'other', repository: null }, never)).toEqual([])
    })

    it('are read one by one, with labels, times and the runner', async () => {
      const { forge, queued, running } = await open()
      const read = async (jobId: number) =>
        (await forge.readJob({ repository: 'acme/web', jobId }, never)).job
      expect(await read(queued)).toMatchObject({
        status: 'queued',
        runnerName: null,
        labels: ['linux'],
        queuedAt: expect.any(Number),
      })
      expect(await read(running)).toMatchObject({ status: 'in_progress', runnerName: 'linux-1' })
    })

    it('that the forge does not know are null', async () => {
      const { forge } = await open()
      expect((await forge.readJob({ repository: 'acme/web', jobId: 404 }, never)).job).toBeNull()
    })
  })
}
