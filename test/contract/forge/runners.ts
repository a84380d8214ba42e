import { describe, expect, it } from 'vitest'
import { type ForgeBench, type ForgeNature, labels, never } from './kit.ts'

/** Runners: minted, found, removed, and chosen for jobs. */
export function runnersContract(bench: ForgeBench, nature: ForgeNature): void {
  const { scope, submit, mint, start } = bench

  describe('mint', () => {
    it.skipIf(nature.sharesConfigurations)(
      'gives a configuration that one program can use, and no second one',
      async () => {
        await submit()
        const { jit } = await mint('r-1')
        expect(await bench.under.connect(jit, 'first')).not.toBeNull()
        expect(await bench.under.connect(jit, 'second')).toBeNull()
      },
    )

    it('gives a configuration for one job, however many programs use it', async () => {
      const ids = [await submit({ name: 'one' }), await submit({ name: 'two' })]
      const { jit } = await mint('r-1')
      const programs = [await bench.under.connect(jit, 'first'), await bench.under.connect(jit, 'second')]
      const taken: number[] = []
      for (const program of programs) taken.push(...[(await program?.take()) ?? []].flat())
      expect(taken).toHaveLength(1)
      expect(ids).toContain(taken[0])
    })

    it.runIf(nature.repeatsNames)('gives two runners of one name, and the newer is found by it', async () => {
      await submit()
      const [older, newer] = [await mint('r-1'), await mint('r-1')]
      expect(newer.forgeRunnerId).not.toBe(older.forgeRunnerId)
      expect(await bench.forge.findRunner(scope(), 'r-1', never)).toMatchObject({ id: newer.forgeRunnerId })
    })

    it.skipIf(nature.repeatsNames)(
      'is refused under the name of a runner that is there, which concerns the job alone',
      async () => {
        await submit()
        await start('r-1')
        expect(await bench.forge.mint({ scope: scope(), name: 'r-1', labels }, never)).toMatchObject({
          kind: 'refused',
          concerns: 'job',
          incident: null,
        })
      },
    )

    it.skipIf(nature.repeatsNames)(
      'replaces a runner of that name that never came: the mint before it was recorded by nobody',
      async () => {
        await submit()
        const first = await mint('r-1')
        const second = await mint('r-1')
        expect(second.forgeRunnerId).not.toBe(first.forgeRunnerId)
        expect(await bench.under.connect(first.jit, 'first')).toBeNull()
        expect(await bench.under.connect(second.jit, 'second')).not.toBeNull()
      },
    )

    it('is refused into a group that there is not, which concerns the job alone and waits for a person', async () => {
      await submit()
      const order = { scope: scope(), name: 'r-1', labels, runnerGroup: 'Fast' }
      expect(await bench.forge.mint(order, never)).toMatchObject({
        kind: 'refused',
        concerns: 'job',
        incident: expect.stringMatching(/^runner-group-un(supported|known)$/),
      })
      expect(await bench.forge.findRunner(scope(), 'r-1', never)).toBeNull()
    })

    it('is refused where the repository is unknown, which concerns that repository', async () => {
      const unknown = { installation: bench.under.installation, repository: 'acme/unknown' }
      const refused = await bench.forge.mint({ scope: unknown, name: 'r-1', labels }, never)
      expect(refused).toMatchObject({
        kind: 'refused',
        concerns: 'repository',
        incident: 'repository-not-covered',
      })
    })
  })

  describe('findRunner', () => {
    it('says whether a runner is there, online and busy', async () => {
      const id = await submit()
      expect(await bench.forge.findRunner(scope(), 'r-1', never)).toBeNull()
      const { jit, forgeRunnerId } = await mint('r-1')
      const found = () => bench.forge.findRunner(scope(), 'r-1', never)
      expect(await found()).toEqual({ id: forgeRunnerId, name: 'r-1', online: false, busy: false })
      const runner = await bench.under.connect(jit, 'program')
      expect(await found()).toMatchObject({ online: true, busy: false })
      expect(await runner?.take()).toBe(id)
      expect(await found()).toMatchObject({ online: true, busy: true })
      await runner?.finish(id, 'success')
      expect(await found()).toBeNull()
    })

    it('takes no other name for this one', async () => {
      await submit()
      await mint('r-10')
      expect(await bench.forge.findRunner(scope(), 'r-1', never)).toBeNull()
    })
  })

  describe('removeRunner', () => {
    it('removes an idle runner, which then gets no job', async () => {
      await submit()
      const { jit, forgeRunnerId } = await mint('r-1')
      const runner = await bench.under.connect(jit, 'program')
      expect(await bench.forge.removeRunner(scope(), forgeRunnerId, never)).toBe('removed')
      expect(await runner?.take()).toBeNull()
      expect(await bench.forge.findRunner(scope(), 'r-1', never)).toBeNull()
      expect(await bench.forge.removeRunner(scope(), forgeRunnerId, never)).toBe('absent')
    })

    it('does not remove a busy one', async () => {
      await submit()
      const { jit, forgeRunnerId } = await mint('r-1')
      const runner = await bench.under.connect(jit, 'program')
      await runner?.take()
      expect(await bench.forge.removeRunner(scope(), forgeRunnerId, never)).toBe('busy')
      expect(await bench.forge.findRunner(scope(), 'r-1', never)).toMatchObject({ busy: true })
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
}
