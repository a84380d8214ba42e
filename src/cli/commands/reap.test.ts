import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import type { ReapPlan, RemedyState } from '../../domain/remedy/index.ts'
import { emptyHead } from '../../domain/trail/index.ts'
import type { ReapOrder, RemedyReport, Roles } from '../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const hash = 'ab'.repeat(32)
const plan: ReapPlan = {
  version: 1,
  remedy: 'reap',
  program: '0.1.0',
  site: 'test',
  scope: { sets: [], isStaleGeneration: false, minAgeMs: 3_600_000 },
  observedAt: 0,
  plannedAt: 0,
  expiresAt: 900_000,
  gates: [{ gate: 'set-known', passed: false, proof: 'arc-runners/linux: not read' }],
  objects: [
    {
      kind: 'EphemeralRunner',
      namespace: 'arc-runners',
      name: 'linux-1',
      uid: 'u',
      resourceVersion: '1',
      scaleSet: { namespace: 'arc-runners', name: 'linux' },
      forgeScope: 'acme',
      arm: 'idle-leak',
      why: 'no job, and linux-gen1 wants 1 of 2',
      evidence: [],
    },
  ],
  skipped: [{ namespace: 'arc-runners', name: 'linux-2', why: 'it has a job of acme/web' }],
}

function reaping(state: RemedyState, run: RemedyReport['run'] = null) {
  const orders: ReapOrder[] = []
  const own: Roles = {
    ...roles,
    async reap(_, order) {
      orders.push(order)
      return { state, plan, hash, run, head: emptyHead, store: 'files', place: '/data/trail.jsonl' }
    },
  }
  return { orders, deps: { roles: own } }
}

const end = (state: RemedyState): RemedyReport['run'] => ({
  state,
  outcome: 'not touched: same-object (uid 2)',
  gates: [{ gate: 'same-object', passed: false, proof: 'uid 2' }],
  treated: [],
})

describe('holdfast reap', () => {
  it('shows the plan, why each runner goes or stays, and the one command that applies it', async () => {
    const { orders, deps } = reaping('planned')
    const { code, out } = await cli.runWith(deps, 'reap', '--scale-set', 'arc-runners/linux')
    expect(code).toBe(0)
    for (const words of [
      'nothing was changed',
      'arc-runners/linux-1 idle-leak: no job',
      'linux-2: it has a job of acme/web',
      `holdfast reap --apply ${hash}`,
    ])
      expect(out).toContain(words)
    expect(orders).toMatchObject([
      {
        apply: null,
        isUnattended: false,
        controllerNamespace: 'arc-systems',
        scope: {
          sets: [{ namespace: 'arc-runners', name: 'linux' }],
          isStaleGeneration: false,
          minAgeMs: 3_600_000,
        },
      },
    ])
  })

  it('gives one JSON document, with the whole plan', async () => {
    const { deps } = reaping('planned')
    const { out } = await cli.runWith(deps, 'reap', '--all', '--json')
    expect(JSON.parse(out)).toMatchObject({ state: 'planned', hash, plan: { objects: [{ uid: 'u' }] } })
  })

  it.each([
    ['blocked', 5, 'nothing was done'],
    ['aborted', 8, 'same-object'],
    ['escalated', 7, 'a person must look'],
    ['done', 0, 'Done and proven'],
  ] as const)('that ends %s has the exit code %d', async (state, expected, words) => {
    const { orders, deps } = reaping(state, end(state))
    const { code, out } = await cli.runWith(deps, 'reap', '--apply', hash)
    expect([code, orders[0]?.apply]).toEqual([expected, hash])
    expect(out).toContain(words)
    expect(out).toContain(`Trail: 0 rows in /data/trail.jsonl, head 0:${emptyHead.hash}`)
  })

  it.each([
    [[], 'name the sets'],
    [['--all', '--scale-set', 'a/b'], 'name the sets'],
    [['--scale-set', 'linux'], 'expected namespace/name'],
    [['--scale-set', '../x/y'], 'expected namespace/name'],
    [['--scale-set', 'a/b;c'], 'expected namespace/name'],
    [['--scale-set', 'a/b', '--namespace', 'a'], '--namespace narrows --all'],
    [['--all', '--namespace', 'A_B'], 'the name of a namespace'],
    [['--apply', hash, '--all'], '--apply stands alone'],
    [['--all', '--unattended', '--dry-run'], 'choose one'],
    [['--all', '--min-age-seconds', '-1'], 'Expected a whole number'],
  ])('with %j is not understood, and does nothing', async (args, words) => {
    const { orders, deps } = reaping('planned')
    const { code, err } = await cli.runWith(deps, 'reap', ...args)
    expect([code, orders]).toEqual([2, []])
    expect(err).toContain(words)
  })

  it('has help that fits 80 columns', async () => {
    for (const words of [['reap'], ['trail', 'list'], ['trail', 'show'], ['trail', 'verify']]) {
      const { out } = await cli.run(...words, '--help')
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
      expect(out).toMatch(/\nExample:\n {2}\$ holdfast /)
    }
  })
})
