import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isError } from '../../../src/domain/errors/index.ts'
import type { Forge, Minted } from '../../../src/ports/forge.ts'

export interface ForgeJobOrder {
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
}

/** A runner's program as the forge sees it. */
export interface ConnectedRunner {
  /** The job that the forge gives it now; null: none. */
  take(): Promise<number | null>
  finish(forgeJobId: number, conclusion: 'success' | 'failure'): Promise<void>
}

/** A forge behind the port, and the people and programs around it, whom the port does not show. */
export interface ForgeUnderTest extends AsyncDisposable {
  readonly forge: Forge
  readonly installation: string
  submit(order: ForgeJobOrder): Promise<number>
  cancel(forgeJobId: number): Promise<void>
  /** Null: the forge refuses the configuration. `program` tells one program from another. */
  connect(jit: string, program: string): Promise<ConnectedRunner | null>
}

const repository = 'acme/shop'
const labels = ['self-hosted', 'linux']
const never = new AbortController().signal

/** What every implementation of the Forge port must do. */
export function forgeContract(name: string, make: () => Promise<ForgeUnderTest>): void {
  describe(`the Forge port: ${name}`, () => {
    let under: ForgeUnderTest
    let forge: Forge
    beforeEach(async () => {
      under = await make()
      forge = under.forge
    })
    afterEach(() => under[Symbol.asyncDispose]())

    const scope = () => ({ installation: under.installation, repository })
    const submit = (order: Partial<ForgeJobOrder> = {}) =>
      under.submit({ repository, name: 'build', labels, ...order })
    const mint = async (runner: string): Promise<Minted> => {
      const minted = await forge.mint({ scope: scope(), name: runner, labels }, never)
      if (minted.kind !== 'minted') throw new Error(minted.reason)
      return minted
    }
    const start = async (runner: string) => {
      const connected = await under.connect((await mint(runner)).jit, `program of ${runner}`)
      if (connected === null) throw new Error('the forge refused a fresh configuration')
      return connected
    }

    describe('mint', () => {
      it('gives a configuration that one program can use, and no second one', async () => {
        await submit()
        const { jit } = await mint('r-1')
        expect(await under.connect(jit, 'first')).not.toBeNull()
        expect(await under.connect(jit, 'second')).toBeNull()
      })

      it('is refused under a name that exists, which concerns the job alone', async () => {
        await submit()
        await mint('r-1')
        expect(await forge.mint({ scope: scope(), name: 'r-1', labels }, never)).toMatchObject({
          kind: 'refused',
          concerns: 'job',
        })
      })

      it('is refused where the repository is unknown, which concerns that repository', async () => {
        const unknown = { installation: under.installation, repository: 'acme/unknown' }
        const refused = await forge.mint({ scope: unknown, name: 'r-1', labels }, never)
        expect(refused).toMatchObject({ kind: 'refused', concerns: 'repository' })
      })
    })

    describe('findRunner', () => {
      it('tells whether a runner is there, online and busy', async () => {
        const id = await submit()
        expect(await forge.findRunner(scope(), 'r-1', never)).toBeNull()
        const { jit, forgeRunnerId } = await mint('r-1')
        const found = () => forge.findRunner(scope(), 'r-1', never)
        expect(await found()).toEqual({ id: forgeRunnerId, name: 'r-1', online: false, busy: false })
        const runner = await under.connect(jit, 'program')
        expect(await found()).toMatchObject({ online: true, busy: false })
        expect(await runner?.take()).toBe(id)
        expect(await found()).toMatchObject({ online: true, busy: true })
        await runner?.finish(id, 'success')
        expect(await found()).toBeNull()
      })

      it('takes no other name for this one', async () => {
        await submit()
        await mint('r-10')
        expect(await forge.findRunner(scope(), 'r-1', never)).toBeNull()
      })
    })

    describe('removeRunner', () => {
      it('removes an idle runner, which then gets no job', async () => {
        await submit()
        const { jit, forgeRunnerId } = await mint('r-1')
        const runner = await under.connect(jit, 'program')
        expect(await forge.removeRunner(scope(), forgeRunnerId, never)).toBe('removed')
        expect(await runner?.take()).toBeNull()
        expect(await forge.findRunner(scope(), 'r-1', never)).toBeNull()
        expect(await forge.removeRunner(scope(), forgeRunnerId, never)).toBe('absent')
      })

      it('does not remove a busy one', async () => {
        await submit()
        const { jit, forgeRunnerId } = await mint('r-1')
        const runner = await under.connect(jit, 'program')
        await runner?.take()
        expect(await forge.removeRunner(scope(), forgeRunnerId, never)).toBe('busy')
        expect(await forge.findRunner(scope(), 'r-1', never)).toMatchObject({ busy: true })
      })
    })

    describe('readJob', () => {
      it('follows a job from queued to its end, and names its runner', async () => {
        const id = await submit()
        const read = () => forge.readJob(scope(), id, never)
        const queued = await read()
        expect(queued).toMatchObject({
          job: { installation: under.installation, forgeJobId: id, repository, name: 'build', labels },
          status: 'queued',
          runnerName: null,
          conclusion: null,
          startedAt: null,
          completedAt: null,
        })
        expect(queued?.queuedAt).toEqual(expect.any(Number))
        const runner = await start('r-1')
        await runner.take()
        const running = await read()
        expect(running).toMatchObject({ status: 'in_progress', runnerName: 'r-1', completedAt: null })
        expect(running?.startedAt).toEqual(expect.any(Number))
        await runner.finish(id, 'failure')
        const ended = await read()
        expect(ended).toMatchObject({ status: 'completed', runnerName: 'r-1', conclusion: 'failure' })
        expect(ended?.completedAt).toEqual(expect.any(Number))
      })

      it('knows a job that was cancelled before anybody ran it', async () => {
        const id = await submit()
        await under.cancel(id)
        expect(await forge.readJob(scope(), id, never)).toMatchObject({
          status: 'completed',
          conclusion: 'cancelled',
          runnerName: null,
        })
      })

      it('is null for a job that the forge does not know', async () => {
        await submit()
        expect(await forge.readJob(scope(), 987_654_321, never)).toBeNull()
      })
    })

    describe('listJobs', () => {
      it('is empty where nothing is queued', async () => {
        expect(await forge.listJobs(under.installation, 0, never)).toEqual([])
      })

      it('has every open job of every repository, and of those that are over only those of newer runs', async () => {
        const running = await submit({ name: 'first' })
        await (await start('r-1')).take()
        const waiting = [await submit({ name: 'second' }), await submit({ repository: 'acme/site' })]
        const cancelled = await submit({ name: 'third' })
        await under.cancel(cancelled)
        const listed = async (since: number) => {
          const words = await forge.listJobs(under.installation, since, never)
          return words.map((word) => `${word.job.forgeJobId} ${word.status}`).sort()
        }
        const open = [`${running} in_progress`, ...waiting.map((id) => `${id} queued`)]
        expect(await listed(Date.UTC(2100))).toEqual(open.toSorted())
        expect(await listed(0)).toEqual([...open, `${cancelled} completed`].sort())
      })

      it('has them all where there are more than one page of them', async () => {
        const ids: number[] = []
        for (let n = 0; n < 120; n += 1) ids.push(await submit({ name: `job ${n}` }))
        const listed = await forge.listJobs(under.installation, 0, never)
        expect(listed.map((word) => word.job.forgeJobId).sort()).toEqual(ids.sort())
      })
    })

    describe('a call that is given up', () => {
      it('throws E_FORGE_UNAVAILABLE, whatever it asks', async () => {
        await submit()
        const over = AbortSignal.abort()
        const calls = [
          forge.mint({ scope: scope(), name: 'r-1', labels }, over),
          forge.findRunner(scope(), 'r-1', over),
          forge.removeRunner(scope(), 1, over),
          forge.readJob(scope(), 1, over),
          forge.listJobs(under.installation, 0, over),
        ]
        for (const outcome of await Promise.allSettled(calls)) {
          expect(outcome.status === 'rejected' && isError(outcome.reason, 'E_FORGE_UNAVAILABLE')).toBe(true)
        }
      })
    })

    describe('the choice of a runner', () => {
      it('is by labels: of two jobs, each runner gets one, and never the same', async () => {
        const ids = [await submit({ name: 'one' }), await submit({ name: 'two' })]
        const runners = [await start('r-1'), await start('r-2')]
        const taken = [await runners[1]?.take(), await runners[0]?.take()]
        expect(taken.toSorted()).toEqual(ids.toSorted())
      })

      it('passes over a runner that lacks a label of the job', async () => {
        await submit({ labels: [...labels, 'gpu'] })
        expect(await (await start('r-1')).take()).toBeNull()
      })
    })
  })
}
