import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../../test/support/holdfast-cli.ts'
import { emptyHead } from '../../../domain/trail/index.ts'
import type { FixOrder } from '../../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const hash = 'ab'.repeat(32)
const url = 'https://github.com/acme/platform/actions/runs/31/job/87'

function fixing() {
  const contract = 'contract.yaml'
  const text = 'version: 1\nplatformProofs:\n  - { repository: acme/platform, job: Prove it }\n'
  const readFile = (file: string) => (file === contract ? text : undefined)
  const orders: FixOrder[] = []
  const own = {
    ...roles,
    async fix(_: unknown, order: FixOrder) {
      orders.push(order)
      const scope = { repository: 'acme/platform', jobId: 87, declared: [], waitMs: 0 }
      const times = { observedAt: 0, plannedAt: 0, expiresAt: 900_000 }
      const shared = { version: 1, program: '0.1.0', site: 'github.com', gates: [], skipped: [] } as const
      const plan = { ...shared, ...times, remedy: 'retry-proof', scope, objects: [] } as const
      return {
        state: 'planned',
        plan,
        hash,
        run: null,
        head: emptyHead,
        store: 'files',
        place: '/x',
      } as const
    },
  }
  return { contract, orders, deps: { roles: own, readFile } }
}

describe('holdfast fix retry-proof', () => {
  it('plans by the URL of a job and the proofs of the contract, and names the command that applies', async () => {
    const { contract, orders, deps } = fixing()
    const { code, out } = await cli.runWith(deps, 'fix', 'retry-proof', url, '--contract', contract)
    expect([code, out]).toEqual([0, expect.stringContaining(`holdfast fix retry-proof --apply ${hash}`)])
    const declared = [{ repository: 'acme/platform', job: 'Prove it' }]
    expect(orders).toMatchObject([
      { apply: null, scope: { repository: 'acme/platform', jobId: 87, declared, waitMs: 3_600_000 } },
    ])
  })

  it('applies by its hash alone', async () => {
    const { orders, deps } = fixing()
    expect((await cli.runWith(deps, 'fix', 'retry-proof', '--apply', hash)).code).toBe(0)
    expect(orders).toMatchObject([{ apply: hash, scope: null }])
  })

  it('is not understood without a job or a contract, with a URL of a run, or with more than a hash', async () => {
    const { contract, orders, deps } = fixing()
    for (const args of [
      [],
      ['--contract', contract],
      [url],
      ['https://github.com/acme/platform/actions/runs/31', '--contract', contract],
      [url, '--apply', hash],
    ])
      expect((await cli.runWith(deps, 'fix', 'retry-proof', ...args)).code).toBe(2)
    expect(orders).toEqual([])
  })

  it('has help that fits 80 columns', async () => {
    const { out } = await cli.run('fix', 'retry-proof', '--help')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })
})
