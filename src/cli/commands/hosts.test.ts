import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cause } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'
import { hostListSchema } from '../../api/index.ts'
import { lostRecord } from '../../domain/recovery/index.ts'

const minuteMs = 60_000

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

async function enrolOn(host: string, name: string): Promise<number> {
  const row = { name, pool: 'linux', host, identityHash: 'hash', bootDeadlineMs: 60 * minuteMs }
  return (await cli.bench.ledger.enrol(row, cause)).id
}

/** A live machine, a lost cluster, and an ended one. */
async function threeHosts(): Promise<void> {
  const { ledger, clock } = cli.bench
  for (const name of ['linux-1', 'linux-2']) await enrolOn('cluster-b', name)
  const ended = await enrolOn('machine-c', 'linux-3')
  await ledger.heartbeat({ id: 'cluster-b', kind: 'kubernetes' })
  await ledger.heartbeat({ id: 'machine-c', kind: 'local' })
  await clock.advance(20 * minuteMs)
  await ledger.sealDeath(ended, lostRecord({ class: 'host-lost', because: ['a test'] }), 'host-lost', cause)
  await ledger.endLostHosts()
  await ledger.heartbeat({ id: 'machine-a', kind: 'local' })
  await clock.advance(3_000)
}

describe('holdfast hosts', () => {
  it('says that there is none', async () => {
    expect(await cli.run('hosts')).toMatchObject({ code: 0, out: 'There is no host.\n' })
  })

  it('shows each with its kind, state, last heartbeat and number of live runners', async () => {
    await threeHosts()
    const { code, out } = await cli.run('hosts')
    expect(code).toBe(0)
    expect(out).toBe(`HOST       KIND        STATE  HEARTBEAT   RUNNERS
cluster-b  kubernetes  lost   20 min 3 s  2
machine-a  local       live   3 s         0
machine-c  local       ended  20 min 3 s  0
`)
  })

  it('gives the same as one JSON document with --json, also where there is none', async () => {
    expect(hostListSchema.parse(JSON.parse((await cli.run('hosts', '--json')).out)).hosts).toEqual([])
    await threeHosts()
    const { hosts } = hostListSchema.parse(JSON.parse((await cli.run('hosts', '--json')).out))
    expect(hosts).toMatchObject([
      { id: 'cluster-b', kind: 'kubernetes', state: 'lost', liveRunners: 2, endedAt: null },
      { id: 'machine-a', kind: 'local', state: 'live', liveRunners: 0, heartbeatAgeMs: 3_000 },
      { id: 'machine-c', kind: 'local', state: 'ended', liveRunners: 0, endedAt: expect.any(String) },
    ])
  })
})
