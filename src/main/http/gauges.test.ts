import { expect, it } from 'vitest'
import { recordedLog } from '../../../test/support/machine.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Incident } from '../../domain/incident/index.ts'
import type { PoolCounts } from '../../ports/ledger.ts'
import { readGauges } from './gauges.ts'

it('shows the oldest wait of each pool and the open incidents of each kind, also those that are over', async () => {
  const shown = new Map<string, number>()
  const metrics = {
    count: expect.unreachable,
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
  await readGauges(ledger, metrics, recordedLog())
  expect(shown.get('holdfast_job_oldest_wait_seconds linux')).toBe(90)
  expect(shown.get('holdfast_incidents_open credentials-refused')).toBe(2)
  open = []
  await readGauges(ledger, metrics, recordedLog())
  expect(shown.get('holdfast_incidents_open credentials-refused')).toBe(0)
})

it('shows the other gauges where one part cannot be read, says and counts it, and fails where the ledger is away', async () => {
  const shown = new Map<string, number>()
  const counted: string[] = []
  const metrics = {
    set: (name: string, labels: object, value: number) =>
      void shown.set(`${name} ${Object.values(labels).join(' ')}`, value),
    count: (name: string, labels: object) => void counted.push(`${name} ${Object.values(labels).join(' ')}`),
  }
  const ledger = {
    counts: () => Promise.reject(new Error('a row that nobody can read')),
    incidents: async () => [{ kind: 'credentials-refused' }] as Incident[],
    hosts: async () => [],
  }
  const log = recordedLog()
  await readGauges(ledger, metrics, log)
  expect(shown.get('holdfast_incidents_open credentials-refused')).toBe(1)
  expect(shown.get('holdfast_hosts live')).toBe(0)
  expect(counted).toEqual(['holdfast_task_failures_total gauges'])
  expect(log.lines).toMatchObject([{ message: expect.stringContaining('gauges could not be read') }])
  const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
  const gone = { ...ledger, counts: () => Promise.reject(away) }
  await expect(readGauges(gone, metrics, log)).rejects.toBe(away)
})
