import { describe, expect, it } from 'vitest'
import { isError } from '../../../src/domain/errors/index.ts'
import type { HostBench, HostNature } from './kit.ts'

export function placesContract(bench: HostBench, { hasNodes, showsProgram }: HostNature): void {
  describe('protection', () => {
    it('may be asked for twice, and where there is nothing to protect', async () => {
      const { name } = await bench.running()
      await bench.host().protect(name)
      await bench.host().protect(name)
      await bench.host().protect(bench.under().newStart().name)
      const isProtected = async () => (await bench.listed(name))?.isProtected === true
      await bench.under().until('it is seen to be protected', isProtected)
      expect(await bench.find(name)).toMatchObject({ state: 'running' })
    })
  })

  describe('room', () => {
    it('is a bound or none, and no trouble while it is enough for one', async () => {
      const { more, problem } = await bench.host().headroom(bench.under().newStart().pool)
      expect(more ?? 1).toBeGreaterThan(0)
      expect(problem).toBeNull()
    })
  })

  describe('nodes', () => {
    it.runIf(!hasNodes)('are none where there is one place', async () => {
      const { name } = await bench.running()
      expect(await bench.host().nodes()).toEqual([])
      expect((await bench.listed(name))?.node).toBeNull()
    })

    it.runIf(hasNodes)('are where runners are', async () => {
      const { name } = await bench.running()
      const node = (await bench.listed(name))?.node
      const nodes = await bench.host().nodes()
      expect(nodes.find((one) => one.name === node)).toMatchObject({ isReady: true, isCordoned: false })
    })

    it.runIf(hasNodes)('are not given runners that avoid them', async () => {
      const [first] = await bench.host().nodes()
      const avoidNodes = [first?.name as string]
      const start = { ...bench.under().newStart(), avoidNodes }
      await bench.startAgain(start)
      const isPlaced = async () => {
        const seen = await bench.listed(start.name)
        return seen !== undefined && (seen.node !== null || seen.problem !== null)
      }
      await bench.under().until('it is placed, or cannot be', isPlaced)
      expect(avoidNodes).not.toContain((await bench.listed(start.name))?.node)
    })

    it.runIf(hasNodes)('that respond keep their runners: none that lives there is abandoned', async () => {
      const { name } = await bench.running()
      const refused = await bench
        .host()
        .abandon(name)
        .then(
          () => null,
          (error: unknown) => error,
        )
      expect(isError(refused, 'E_RUNNER_NOT_ENDED')).toBe(true)
      expect(await bench.find(name)).toMatchObject({ state: 'running', leavingSince: null })
    })

    it.runIf(hasNodes)('may be lost: their runners fall silent and can then be abandoned', async () => {
      const { name } = await bench.running()
      await bench.under().losePlace?.(name)
      const isSilent = async () => ((await bench.listed(name))?.silentSince ?? null) !== null
      await bench.under().until('it is silent', isSilent)
      expect((await bench.listed(name))?.state).toBe('running')
      // Its last state proves nothing now: its program may have begun since (I4).
      const idle = bench.order({ evenIfStarted: false, onlyIfWaiting: true })
      expect(await bench.host().stop(name, idle)).toBe('refused')
      if (showsProgram) {
        expect(await bench.host().stop(name, bench.order({ evenIfStarted: false }))).toBe('refused')
      }
      expect(await bench.find(name)).toMatchObject({ state: 'running', leavingSince: null })
      await bench.host().abandon(name)
      expect(await bench.find(name)).toBeNull()
      await bench.host().abandon(name)
    })
  })
}
