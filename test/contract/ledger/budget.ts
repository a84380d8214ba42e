import { expect, it } from 'vitest'
import { contractInstallation, type MakeLedger, topic } from './kit.ts'

const resetAt = Date.UTC(2030, 0, 1)
const first = { limit: 5_000, remaining: 4_000, resetAt }

/** The forge's rate limit, as all processes know it. */
export function budget(make: MakeLedger): void {
  topic('budget', make, (bench) => {
    const note = (over: Partial<typeof first>) =>
      bench().ledger.noteBudget(contractInstallation, { ...first, ...over })

    it('knows nothing before the first answer of the forge', async () => {
      expect(await bench().ledger.budget(contractInstallation)).toBeNull()
    })

    it("keeps the forge's numbers for each account", async () => {
      expect(await note({})).toEqual(first)
      expect(await bench().ledger.budget(contractInstallation)).toEqual(first)
      expect(await bench().ledger.budget('elsewhere')).toBeNull()
      const other = { limit: 60, remaining: 1, resetAt: 0 }
      expect(await bench().ledger.noteBudget('elsewhere', other)).toEqual(other)
      expect(await bench().ledger.budget(contractInstallation)).toEqual(first)
    })

    it.each([
      { what: 'less in the same window', over: { remaining: 3_999 } },
      {
        what: 'less in the same window, reported a little later',
        over: { remaining: 1, resetAt: resetAt + 5_000 },
      },
      {
        what: 'less in the same window, reported a little earlier',
        over: { remaining: 1, resetAt: resetAt - 5_000 },
      },
      { what: 'more in a newer window', over: { remaining: 5_000, resetAt: resetAt + 5_001 } },
      { what: 'another limit in a newer window', over: { limit: 15_000, resetAt: resetAt + 3_600_000 } },
    ])('takes $what', async ({ over }) => {
      await note({})
      expect(await note(over)).toEqual({ ...first, ...over })
      expect(await bench().ledger.budget(contractInstallation)).toEqual({ ...first, ...over })
    })

    it.each([
      { what: 'more in the same window', over: { remaining: 4_001 } },
      {
        what: 'more in the same window, reported a little later',
        over: { remaining: 5_000, resetAt: resetAt + 5_000 },
      },
      { what: 'less in an older window', over: { remaining: 0, resetAt: resetAt - 5_001 } },
    ])('does not take $what', async ({ over }) => {
      await note({})
      expect(await note(over)).toEqual(first)
      expect(await bench().ledger.budget(contractInstallation)).toEqual(first)
    })

    it('ends with the least when many answers come at once', async () => {
      const left = [7, 3, 9, 1, 5]
      await Promise.all(left.map((remaining) => note({ remaining })))
      expect(await bench().ledger.budget(contractInstallation)).toEqual({ ...first, remaining: 1 })
    })
  })
}
