import { expect, it } from 'vitest'
import { cause, farMs, type MakeLedger, neverRegistered, pool, topic } from './kit.ts'

/** The order in which runners get jobs. */
export function claiming(make: MakeLedger): void {
  topic('claiming', make, (bench) => {
    it('gives a polling runner the oldest job of its pool, in one step with the attempt', async () => {
      const first = await bench().queue(1)
      await bench().queue(2)
      const runner = await bench().idleRunner()
      const handle = bench().handle()
      const result = await bench().ledger.claim(runner, handle, farMs)
      expect(result).toMatchObject({
        kind: 'claimed',
        claim: {
          job: { id: first, state: 'claimed' },
          attempt: { handle, jobId: first, claimedJobId: first, runnerId: runner.id, state: 'claimed' },
        },
      })
      expect(await bench().runner(runner.id)).toMatchObject({ state: 'claimed', jobId: first })
      expect((await bench().file(first)).attempts).toHaveLength(1)
    })

    it('names the runner group of the pool, as it is now, and none where the pool names none', async () => {
      const next = async () => {
        await bench().queue(bench().next())
        const runner = await bench().idleRunner()
        const result = await bench().ledger.claim(runner, bench().handle(), farMs)
        if (result.kind !== 'claimed') throw new Error(`nothing was claimed: ${result.kind}`)
        const open = await bench().ledger.openAttempt(runner.id)
        return [result.claim.runnerGroup, open?.runnerGroup]
      }
      expect(await next()).toEqual([null, null])
      await bench().ledger.putPools([{ ...pool(), runnerGroup: 'Fast' }], cause)
      expect(await next()).toEqual(['Fast', 'Fast'])
    })

    it('names the job, the attempt and the runner in one row of the timeline', async () => {
      const jobId = await bench().queue(1)
      const held = await bench().claimed()
      const { timeline, attempts } = await bench().file(jobId)
      const rows = timeline.filter(({ kind }) => kind === 'claimed')
      expect(
        rows.map(({ subject, subjectId, source, facts }) => ({ subject, subjectId, source, facts })),
      ).toEqual([
        {
          subject: 'job',
          subjectId: jobId,
          source: 'dispatch',
          facts: { attempt: attempts[0]?.id, runner: held.runnerId, forgeRunnerName: held.name },
        },
      ])
    })

    it('gives the attempt a runner name of its own that forges accept', async () => {
      await bench().queue(1)
      await bench().queue(2)
      const one = await bench().claimed()
      const two = await bench().claimed()
      expect(one.name).not.toBe(two.name)
      expect(one.name.length).toBeLessThanOrEqual(64)
    })

    it('says nothing when the queue is empty', async () => {
      const runner = await bench().idleRunner()
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
      expect((await bench().runner(runner.id)).state).toBe('polling')
    })

    it('says nothing to a runner that has an open attempt (I1)', async () => {
      await bench().queue(1)
      const second = await bench().queue(2)
      const held = await bench().claimed()
      expect(
        await bench().ledger.claim(await bench().runner(held.runnerId), bench().handle(), farMs),
      ).toEqual({ kind: 'nothing' })
      expect((await bench().job(second)).state).toBe('queued')
    })

    it('never gives a job to two runners at once (I1)', async () => {
      for (const n of [1, 2, 3]) await bench().queue(n)
      const runners = await Promise.all(Array.from({ length: 6 }, () => bench().idleRunner()))
      const results = await Promise.all(
        runners.map((runner) => bench().ledger.claim(runner, bench().handle(), farMs)),
      )
      const jobs = results.flatMap((result) => (result.kind === 'claimed' ? [result.claim.job.id] : []))
      expect(new Set(jobs).size).toBe(jobs.length)
      expect(jobs).toHaveLength(3)
    })

    it('gives nothing to a runner that has not polled', async () => {
      await bench().queue(1)
      const runner = await bench().bootingRunner()
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
    })

    it('sends a fenced runner away', async () => {
      await bench().queue(1)
      const runner = await bench().idleRunner()
      await bench().ledger.fence(runner.id, 'drained', cause)
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'leave' })
    })

    it('gives a runner jobs of its own pool only', async () => {
      await bench().ledger.putPools([pool(), pool({ name: 'mac', labels: ['mac'] })], cause)
      await bench().queue(1, { labels: ['mac'] })
      const linux = await bench().idleRunner()
      expect(await bench().ledger.claim(linux, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
      const mac = await bench().idleRunner({ pool: 'mac' })
      expect((await bench().ledger.claim(mac, bench().handle(), farMs)).kind).toBe('claimed')
    })

    it('takes the repositories of a pool in turn', async () => {
      for (const n of [1, 2, 3]) await bench().queue(n, { repository: 'acme/big' })
      for (const n of [4, 5]) await bench().queue(n, { repository: 'acme/small' })
      expect(await order(5)).toEqual(['acme/big', 'acme/small', 'acme/big', 'acme/small', 'acme/big'])
    })

    it('gives a repository with weight 2 twice as many claims', async () => {
      await bench().ledger.putPools([pool({ fairness: { weights: { 'acme/big': 2 } } })], cause)
      for (const n of [1, 2, 3, 4]) await bench().queue(n, { repository: 'acme/big' })
      for (const n of [5, 6]) await bench().queue(n, { repository: 'acme/small' })
      const claims = await order(6)
      expect(claims.slice(0, 3).filter((repository) => repository === 'acme/big')).toHaveLength(2)
      expect(claims.slice(3).filter((repository) => repository === 'acme/big')).toHaveLength(2)
    })

    it('gives no credit to a repository for the time in which it was idle', async () => {
      for (const n of [1, 2, 3, 4]) await bench().queue(n, { repository: 'acme/busy' })
      expect(await order(2)).toEqual(['acme/busy', 'acme/busy'])
      for (const n of [5, 6, 7]) await bench().queue(n, { repository: 'acme/late' })
      expect(await order(4)).toEqual(['acme/busy', 'acme/late', 'acme/busy', 'acme/late'])
    })

    it('takes the more urgent class first', async () => {
      const rule = { repository: 'acme/*', job: 'deploy*', class: 'critical' } as const
      await bench().ledger.putPools([pool({ priorities: [rule] })], cause)
      await bench().queue(1)
      const urgent = await bench().queue(2, { name: 'deploy to production' })
      expect((await bench().claimed()).jobId).toBe(urgent)
    })

    it('takes a job that waited too long before every class, the oldest first', async () => {
      const rule = { repository: 'acme/urgent', class: 'critical' } as const
      await bench().ledger.putPools([pool({ priorities: [rule], fairness: { ageingMs: farMs } })], cause)
      const now = await bench().ledger.now()
      await bench().queue(1, { repository: 'acme/urgent' })
      const old = await bench().queue(2, { queuedAt: now - 2 * farMs })
      const older = await bench().queue(3, { queuedAt: now - 3 * farMs })
      expect((await bench().claimed()).jobId).toBe(older)
      expect((await bench().claimed()).jobId).toBe(old)
    })

    it('does not let a job jump the queue that has not waited too long', async () => {
      const rule = { repository: 'acme/urgent', class: 'critical' } as const
      await bench().ledger.putPools([pool({ priorities: [rule], fairness: { ageingMs: 3 * farMs } })], cause)
      await bench().queue(1, { queuedAt: (await bench().ledger.now()) - farMs })
      const urgent = await bench().queue(2, { repository: 'acme/urgent' })
      expect((await bench().claimed()).jobId).toBe(urgent)
    })

    it('skips a repository at its cap, and takes it up again when a job ends', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerRepository: 1 } })], cause)
      await bench().queue(1, { repository: 'acme/a' })
      await bench().queue(2, { repository: 'acme/a' })
      const other = await bench().queue(3, { repository: 'acme/b' })
      const held = await bench().claimed()
      expect((await bench().claimed()).jobId).toBe(other)
      await nothing()
      await bench().ledger.endAttempt(
        held.handle,
        { kind: 'claimExpired', proof: null, fate: { kind: 'gone' } },
        cause,
      )
      expect((await bench().job((await bench().claimed()).jobId)).repository).toBe('acme/a')
    })

    it('skips an owner at its cap, and does not skip another owner', async () => {
      await bench().ledger.putPools([pool({ fairness: { capPerOwner: 2 } })], cause)
      await bench().queue(1, { repository: 'acme/a' })
      await bench().queue(2, { repository: 'acme/b' })
      await bench().queue(3, { repository: 'acme/c' })
      const other = await bench().queue(4, { repository: 'zeta/a' })
      expect((await bench().claimed()).jobId).not.toBe(other)
      const owners = [await bench().claimed(), await bench().claimed()]
      expect(owners.map((held) => held.jobId)).toContain(other)
      await nothing()
    })

    it('counts a cap in its own pool only', async () => {
      const fairness = { capPerRepository: 1 }
      await bench().ledger.putPools(
        [pool({ fairness }), pool({ name: 'mac', labels: ['mac'], fairness })],
        cause,
      )
      await bench().queue(1)
      await bench().queue(2, { labels: ['mac'] })
      await bench().claimed()
      await bench().claimed({ pool: 'mac' })
    })

    it('does not give out a job that backs off', async () => {
      await bench().queue(1)
      const held = await bench().claimed()
      const fate = { kind: 'requeue', delayMs: farMs } as const
      await bench().ledger.endAttempt(held.handle, { kind: 'claimExpired', proof: null, fate }, cause)
      await nothing()
    })

    it('gives a requeued job to a new runner, and never the used attempt', async () => {
      const jobId = await bench().queue(1)
      const first = await bench().delivered()
      await bench().ledger.endAttempt(first.handle, neverRegistered, cause)
      const second = await bench().claimed()
      expect(second.jobId).toBe(jobId)
      expect(second.handle).not.toBe(first.handle)
      expect(second.name).not.toBe(first.name)
      expect(second.runnerId).not.toBe(first.runnerId)
    })

    it('gives the open attempt again to a runner whose answer was lost', async () => {
      await bench().queue(1)
      const held = await bench().minted()
      const open = await bench().ledger.openAttempt(held.runnerId)
      expect(open).toMatchObject({
        attempt: { handle: held.handle, state: 'minted' },
        job: { id: held.jobId },
      })
    })

    it('gives nothing new for a claim that is repeated because its answer was lost', async () => {
      await bench().queue(1)
      const second = await bench().queue(2)
      const runner = await bench().idleRunner()
      const handle = bench().handle()
      await bench().ledger.claim(runner, handle, farMs)
      expect(await bench().ledger.claim(runner, handle, farMs)).toEqual({ kind: 'nothing' })
      expect((await bench().ledger.openAttempt(runner.id))?.attempt.handle).toBe(handle)
      expect((await bench().job(second)).state).toBe('queued')
    })

    it('gives nothing to a runner that used its configuration', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(
        await bench().ledger.claim(await bench().runner(held.runnerId), bench().handle(), farMs),
      ).toEqual({ kind: 'nothing' })
    })

    it('gives no open attempt where there is none', async () => {
      await bench().queue(1)
      const held = await bench().delivered()
      await bench().ledger.endAttempt(held.handle, neverRegistered, cause)
      expect(await bench().ledger.openAttempt(held.runnerId)).toBeNull()
      expect(await bench().ledger.openAttempt((await bench().idleRunner()).id)).toBeNull()
    })

    async function order(count: number): Promise<string[]> {
      const repositories: string[] = []
      for (let n = 0; n < count; n += 1) {
        repositories.push((await bench().job((await bench().claimed()).jobId)).repository)
      }
      return repositories
    }

    async function nothing(): Promise<void> {
      const runner = await bench().idleRunner()
      expect(await bench().ledger.claim(runner, bench().handle(), farMs)).toEqual({ kind: 'nothing' })
    }
  })
}
