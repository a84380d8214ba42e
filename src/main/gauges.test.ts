import { expect, it } from 'vitest'
import type { Incident } from '../domain/incident/index.ts'
import type { PoolCounts } from '../ports/ledger.ts'
import { readGauges } from './gauges.ts'

it('shows the oldest wait of each pool and the open incidents of each kind, also those that are over', async () => {
  const shown = new Map<string, number>()
  const metrics = {
    set: (name: string, labels: object, value: number) =>
      void shown.set(`${name} ${Object.values(labels).join(' ')}`, value),
  }
  const counts = [{ pool: 'linux', queued: 2, dispatchable: 1, oldestWaitMs: 90_000, runners: {} }]
  let open: Partial<Incident>[] = [{ kind: 'credentials-refused' }, { kind: 'credentials-refused' }]
  const ledger = {
    counts: async () => counts as unknown as PoolCounts[],
    incidents: async () => open as Incident[],
    hosts: async () => [],
  }
  await readGauges(ledger, metrics)
  expect(shown.get('holdfast_job_oldest_wait_seconds linux')).toBe(90)
  expect(shown.get('holdfast_incidents_open credentials-refused')).toBe(2)
  open = []
  await readGauges(ledger, metrics)
  expect(shown.get('holdfast_incidents_open credentials-refused')).toBe(0)
})
