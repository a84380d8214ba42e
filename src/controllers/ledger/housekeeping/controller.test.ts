import { describe, expect, it } from 'vitest'
import { recordedLog } from '../../../../test/support/machine.ts'
import type { Ledger, SetAside } from '../../../ports/ledger.ts'
import { housekeepingLoop } from './controller.ts'

const aside: SetAside = { kind: 'job', id: 7, reason: 'it is refused', tries: 1, since: 0 }

describe('housekeeping', () => {
  it.each(['archive', 'purge', 'dropHostSamples', 'setAside'] as const)(
    'does all its other steps where %s fails, and reports the failure',
    async (failing) => {
      const bench = createBench({ failing })
      await expect(bench.pass()).rejects.toThrow(`${failing} failed`)
      expect(bench.called).toEqual(['archive', 'purge', 'dropHostSamples', 'setAside'])
    },
  )

  it('logs and counts rows that were set aside, once', async () => {
    const bench = createBench({ aside: [aside] })
    await bench.pass()
    await bench.pass()
    expect(bench.log.lines).toMatchObject([{ level: 'error', fields: { kind: 'job', id: 7 } }])
    expect(bench.gauges).toMatchObject({ job: 1, runner: 0 })
  })

  it('logs nothing where no row was set aside', async () => {
    const bench = createBench({})
    expect(await bench.pass()).toEqual({ kind: 'done' })
    expect(bench.log.lines).toEqual([])
    expect(bench.gauges).toEqual({ job: 0, runner: 0 })
  })

  it('is requeued at once where a batch was full', async () => {
    expect(await createBench({ moved: 200 }).pass()).toMatchObject({ kind: 'requeue-after' })
  })
})

function createBench({ failing = '', aside = [] as SetAside[], moved = 0 }) {
  const called: string[] = []
  const gauges: Record<string, number> = {}
  const log = recordedLog()
  const step = <T>(name: string, result: T) => {
    return async () => {
      called.push(name)
      if (name === failing) throw new Error(`${name} failed`)
      return result
    }
  }
  const ledger = {
    archive: step('archive', moved),
    purge: step('purge', 0),
    dropHostSamples: step('dropHostSamples', 0),
    setAside: step('setAside', aside),
  } as unknown as Ledger
  const metrics = {
    count() {},
    observe() {},
    set(_: string, labels: object, value: number) {
      gauges[Object.values(labels)[0] as string] = value
    },
  }
  const { pass } = housekeepingLoop({ ledger, log, metrics, archiveAfterMs: 0, keepMs: 0 })
  return { called, gauges, log, pass: () => pass(new AbortController().signal) }
}
