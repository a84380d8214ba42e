import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { ApplyRecord, ApplyState } from '../../domain/remedy/managed-apply/index.ts'
import { emptyHead } from '../../domain/trail/index.ts'
import type { ManagedApplyOrder, Roles } from '../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const recorded = { minRunners: 2, maxRunners: 10 }
const record: ApplyRecord = {
  version: 1,
  id: '4f2a9c01be77',
  site: 'test',
  program: '0.1.0',
  beganAt: 0,
  changedAt: 90_000,
  state: 'done',
  outcome: 'one generation, listener Running, caps as wanted, no job lost',
  limits: { commandMaxMs: 1, settleMaxMs: 1, minAgeMs: 1 },
  isZeroWanted: false,
  command: { summary: 'helm upgrade (3 arguments)', process: null, end: { kind: 'exited', code: 0 } },
  sets: [
    {
      namespace: 'arc-runners',
      name: 'linux',
      uid: 'u',
      forgeScope: 'acme',
      recorded,
      freeze: 'frozen',
      restored: recorded,
      busy: [],
    },
  ],
}

function applying(given: Partial<ApplyRecord> = {}) {
  const orders: ManagedApplyOrder[] = []
  const own: Roles = {
    ...roles,
    async managedApply(_, order, onProgress) {
      orders.push(order)
      onProgress('cap-freeze: frozen; 1 busy runners go on')
      return { record: { ...record, ...given }, gates: [], head: emptyHead }
    },
    readApplies: async () => [{ ...record, ...given }],
  }
  return { orders, deps: { roles: own } }
}

const frozen: Partial<ApplyRecord> = {
  state: 'apply',
  command: { summary: 'helm upgrade (3 arguments)', process: null, end: null },
  sets: record.sets.map((set) => ({ ...set, restored: null })),
}

const joined = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('holdfast apply', () => {
  it('gives the command as it stands behind --, and keeps progress apart from the result', async () => {
    const { orders, deps } = applying()
    const words = ['--scale-set', 'arc-runners/linux', '--timeout', '60', '--']
    const { code, out, err } = await cli.runWith(
      deps,
      'apply',
      ...words,
      'helm',
      'upgrade',
      '--json',
      '--',
      '$(x)',
    )
    expect([code, orders[0]?.act, orders[0]?.isJson]).toEqual([
      0,
      {
        kind: 'begin',
        sets: [{ namespace: 'arc-runners', name: 'linux' }],
        argv: ['helm', 'upgrade', '--json', '--', '$(x)'],
        limits: { commandMaxMs: 60_000, settleMaxMs: 1_800_000, minAgeMs: 3_600_000 },
        isZeroWanted: false,
      },
      false,
    ])
    expect(err).toContain('cap-freeze: frozen')
    expect(out).not.toContain('cap-freeze: frozen')
    expect(out).toContain('Done and proven: apply 4f2a9c01be77')
    expect(joined(out)).toContain('maxRunners 10 before; caps now minRunners 2, maxRunners 10')
  })

  it('gives one JSON document', async () => {
    const { orders, deps } = applying()
    const { out } = await cli.runWith(deps, 'apply', '--json', '--scale-set', 'a/b', '--', 'helm')
    expect([JSON.parse(out).record.state, orders[0]?.isJson]).toEqual(['done', true])
  })

  it.each<[ApplyState, number]>([
    ['done', 0],
    ['failed', 1],
    ['refused', 5],
    ['escalated', 7],
    ['aborted', 8],
    ['settle-reap-stale', 8],
  ])('that ends %s has the exit code %d', async (state, expected) => {
    const { deps } = applying({ state })
    const { code } = await cli.runWith(deps, 'apply', '--scale-set', 'a/b', '--', 'helm')
    expect(code).toBe(expected)
  })

  it.each([
    [['--', 'helm'], 'name the sets'],
    [['--scale-set', 'a/b'], 'after --'],
    [['--scale-set', 'a/b', '--'], 'after --'],
    [['--scale-set', 'a/b', 'helm', 'upgrade'], 'after --'],
    [['--scale-set', 'a/b', 'helm', '--', 'upgrade'], 'after --'],
    [['--scale-set', 'b', '--', 'helm'], 'expected namespace/name'],
    [['--scale-set', 'a/b', '--timeout', '0', '--', 'helm'], 'Expected a whole number'],
    [['resume', 'x', 'y'], 'one id'],
    [['resume', '--rerun-command', '--command-done', '--', 'helm'], 'choose one'],
    [['resume', '--rerun-command'], 'after --'],
    [['resume', '4f2a9c01be77', '--'], 'after --'],
  ])('with %j is not understood, and does nothing', async (args, words) => {
    const { orders, deps } = applying()
    const { code, err } = await cli.runWith(deps, 'apply', ...args)
    expect([code, orders]).toEqual([2, []])
    expect(err).toContain(words)
  })
})

describe('holdfast apply resume', () => {
  it.each([
    [[], { id: null, word: null, argv: null }],
    [['4f2a9c01be77', '--command-done'], { id: '4f2a9c01be77', word: 'done', argv: null }],
    [['--rerun-command', '--', 'helm', 'x'], { id: null, word: 'rerun', argv: ['helm', 'x'] }],
    [['mistyped', '--', 'helm'], { id: 'mistyped', word: null, argv: ['helm'] }],
  ])('with %j', async (args, expected) => {
    const { orders, deps } = applying()
    await cli.runWith(deps, 'apply', 'resume', ...args)
    expect(orders[0]?.act).toEqual({ kind: 'resume', ...expected })
  })
})

describe('holdfast apply abort and status', () => {
  it('abort ends well where the caps are back', async () => {
    const { orders, deps } = applying({ state: 'aborted' })
    const { code, out } = await cli.runWith(deps, 'apply', 'abort')
    expect([code, orders[0]?.act]).toEqual([0, { kind: 'abort', id: null }])
    expect(out).toContain('Aborted, the caps are back')
  })

  it('status says of an unfinished one what it owes and what to do, and is not 0', async () => {
    const { deps } = applying(frozen)
    const { code, out } = await cli.runWith(deps, 'apply', 'status')
    expect(code).toBe(8)
    for (const words of [
      'Unfinished, in apply',
      'FROZEN, its caps are owed',
      'resume 4f2a9c01be77 --command-done',
      'resume 4f2a9c01be77 --rerun-command -- <the command>',
      'abort 4f2a9c01be77',
    ])
      expect(joined(out)).toContain(words)
  })

  it('status is 0 where all are finished', async () => {
    const { code } = await cli.runWith(applying().deps, 'apply', 'status')
    expect(code).toBe(0)
  })

  it('another that is unfinished is named, with what to do', async () => {
    const own: Roles = {
      ...roles,
      managedApply: async () => {
        throw new HoldfastError('E_APPLY_UNFINISHED', { id: 'x1', state: 'apply', sets: 'a/b' })
      },
    }
    const { code, err } = await cli.runWith({ roles: own }, 'apply', '--scale-set', 'a/b', '--', 'helm')
    expect(code).toBe(5)
    expect(err).toMatch(/apply x1 is unfinished[\s\S]*holdfast apply abort/)
  })

  it('has help that fits 80 columns', async () => {
    for (const words of [[], ['resume'], ['abort'], ['status']]) {
      const { out } = await cli.run('apply', ...words, '--help')
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
      expect(out).toMatch(/\nExample:\n {2}\$ holdfast /)
    }
  })
})
