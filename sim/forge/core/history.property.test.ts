import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createForgeCore, type ForgeCore } from './index.ts'
import { seededEntropy } from './seeded-entropy.ts'

const repositories = ['acme/shop', 'acme/site']
const labelSets = [['linux'], ['linux', 'gpu'], ['mac']]
const delays = {
  jitExpiresAfterMs: 5_000,
  offlineAfterMs: 2_000,
  lostAfterMs: 6_000,
  offlineRemovedAfterMs: 20_000,
}

const step = fc.record({
  do: fc.constantFrom(
    ...(['submit', 'submit', 'mint', 'mint', 'connect', 'connect', 'connect'] as const),
    ...(['poll', 'poll', 'poll', 'renew', 'complete', 'complete', 'remove', 'cancel'] as const),
    ...(['delete', 'review'] as const),
  ),
  waitMs: fc.constantFrom(0, 0, 0, 1, 50, 200, 200, 700, 3_000),
  which: fc.nat(30),
  other: fc.nat(5),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const histories = fc.record({ seed: fc.nat(), steps: fc.array(step, { maxLength: 120, size: 'max' }) })

describe('any history of the simulated forge', () => {
  it('is among many that reach every end there is', () => {
    const causes = new Map<string, number>()
    for (const { seed, steps } of fc.sample(histories, { numRuns: 200, seed: 1 })) {
      for (const { ends } of play(seed, steps).forge.truth().jobs) {
        for (const { cause } of ends) causes.set(cause, (causes.get(cause) ?? 0) + 1)
      }
    }
    for (const [cause, least] of [
      ['reported', 50],
      ['lost-communication', 50],
      ['cancelled', 50],
      ['rejected', 10],
    ] as const) {
      expect([cause, (causes.get(cause) ?? 0) > least]).toEqual([cause, true])
    }
  })

  it('starts no job twice, uses no configuration twice, and ends every started job once', () => {
    fc.assert(
      fc.property(histories, ({ seed, steps }) => {
        const world = play(seed, steps)
        const { jobs } = world.forge.truth()
        const byRunner = jobs.flatMap((job) => job.starts.map((start) => start.runnerId))
        expect(new Set(byRunner).size).toBe(byRunner.length)
        for (const job of jobs) {
          expect(job.starts.length).toBeLessThanOrEqual(1)
          expect(job.ends.length).toBe(job.status === 'completed' ? 1 : 0)
          expect(job.starts.length).toBe(job.status === 'in_progress' ? 1 : job.starts.length)
          expect(['queued', 'waiting'].includes(job.status) && job.starts.length > 0).toBe(false)
          if (job.deletedAt !== null) expect(job.status).toBe('completed')
        }
        const overlaps = world.forge.overlaps()
        expect(overlaps.filter((overlap) => overlap.kind !== 'jit-used-by-two')).toEqual([])
        expect(overlaps.map((overlap) => 'runner' in overlap && overlap.runner).sort()).toEqual(
          [...world.reused].sort(),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('announces each job truthfully in its messages, without repetition', () => {
    fc.assert(
      fc.property(histories, ({ seed, steps }) => {
        const { forge } = play(seed, steps)
        const actions = new Map<number, unknown[]>()
        for (const { payload } of forge.takeWebhooks()) {
          const { id } = payload.workflow_job as { id: number }
          actions.set(id, [...(actions.get(id) ?? []), payload.action])
        }
        for (const job of forge.truth().jobs) {
          const expected = [
            'queued',
            ...job.starts.map(() => 'in_progress'),
            ...job.ends.map(() => 'completed'),
          ]
          // A job that waited for an approval is announced as queued once more after it.
          const announced = actions
            .get(job.id)
            ?.join(' ')
            .replace(/^queued waiting( queued)?/, 'queued')
          expect(announced).toEqual(expected.join(' '))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('repeats itself with the same seed, and goes on alike from a snapshot or a journal', () => {
    fc.assert(
      fc.property(histories, histories, (first, second) => {
        const world = play(first.seed, first.steps)
        expect(play(first.seed, first.steps).forge.snapshot()).toEqual(world.forge.snapshot())

        // Other chance than before: the same would give a second secret like the first.
        const seed = (first.seed ^ 0x5bd1e995) >>> 0
        const restored = core(seed, jsonCopy(world.forge.snapshot()))
        const replayed = core(seed)
        replayed.replay(jsonCopy(world.forge.takeChanges()), world.forge.counters())
        const { forge: _, ...held } = world
        for (const forge of [restored, replayed]) goOn({ ...structuredClone(held), forge }, second.steps)
        expect(byId(restored)).toEqual(byId(replayed))
        expect(restored.overlaps()).toEqual(replayed.overlaps())
      }),
      { numRuns: 100 },
    )
  })

  it('ends every job that started, once time has passed', () => {
    fc.assert(
      fc.property(histories, ({ seed, steps }) => {
        const { forge } = play(seed, steps)
        for (let deadline = forge.nextDeadline(); deadline !== null; deadline = forge.nextDeadline()) {
          forge.advance(deadline)
        }
        expect(forge.jobs().filter((job) => job.status === 'in_progress')).toEqual([])
        expect(repositories.flatMap((name) => forge.runners(name))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})

interface World {
  readonly forge: ForgeCore
  readonly jits: { readonly jit: string; readonly name: string; readonly owners: Set<string> }[]
  readonly sessions: { readonly session: string; jobId: number }[]
  /** Runners whose configuration two programs tried. */
  readonly reused: Set<string>
  now: number
}

function core(seed: number, snapshot?: ReturnType<ForgeCore['snapshot']>): ForgeCore {
  const entropy = seededEntropy(seed)
  return createForgeCore({ entropy, delays, choose: 'any', ...(snapshot && { snapshot }) })
}

function play(seed: number, steps: readonly Step[]): World {
  const world: World = { forge: core(seed), jits: [], sessions: [], reused: new Set(), now: 0 }
  for (const repository of repositories) world.forge.addRepository(repository, 0)
  goOn(world, steps)
  return world
}

function goOn(world: World, steps: readonly Step[]): void {
  for (const each of steps) {
    world.now += each.waitMs
    take(world, each)
  }
}

function take(world: World, { do: what, which, other }: Step): void {
  const { forge, jits, sessions, now } = world
  const repository = repositories[which % repositories.length] as string
  const labels = labelSets[other % labelSets.length] as string[]
  const held = sessions.at(-1 - (which % 6))
  const jobs = forge.jobs()
  if (what === 'submit') {
    const environment = which % 5 === 0 ? 'production' : undefined
    forge.submit({ repository, workflow: 'w', jobs: [{ name: 'j', labels, script: '', environment }] }, now)
  }
  const runId = jobs[which % Math.max(jobs.length, 1)]?.runId ?? 0
  if (what === 'delete') forge.deleteRun(runId, now)
  if (what === 'review') {
    for (const { id } of forge.pending(runId)) forge.review(runId, [id], other % 2 === 0, now)
  }
  if (what === 'cancel') forge.cancel(jobs[which % Math.max(jobs.length, 1)]?.id ?? 0, now)
  if (what === 'remove') forge.removeRunner(repository, which, now)
  if (what === 'mint') {
    const name = `r-${which}-${now}`
    const minted = forge.mint({ repository, name, labels: ['linux', 'gpu', 'mac'] }, now)
    if (minted.kind === 'minted') jits.push({ jit: minted.jit, name, owners: new Set() })
  }
  // Mostly the newest: an old one has expired or was used.
  const known = jits.at(-1 - (which % 4))
  if (what === 'connect' && known !== undefined) connect(world, known, other === 0 ? 'another' : 'its own')
  if (held === undefined) return
  if (what === 'poll') {
    const polled = forge.poll(held.session, now)
    if (polled.kind === 'job') held.jobId = polled.job.id
  }
  if (what === 'renew') forge.renew(held.session, held.jobId, now)
  if (what === 'complete') {
    forge.complete(held.session, held.jobId, other % 2 === 0 ? 'success' : 'failure', now)
  }
}

function connect(world: World, { jit, name, owners }: World['jits'][number], owner: string): void {
  const connected = world.forge.connect(jit, owner, world.now)
  if (connected.kind === 'connected') world.sessions.push({ session: connected.session, jobId: 0 })
  owners.add(owner)
  if (owners.size > 1) world.reused.add(name)
}

/** Row order may differ between a snapshot and a journal; what the rows say may not. */
function byId(forge: ForgeCore) {
  const { rows } = forge.snapshot()
  const sorted = <T extends { id: number }>(list: readonly T[]) => list.toSorted((a, b) => a.id - b.id)
  return { jobs: sorted(rows.jobs), runners: sorted(rows.runners), runs: sorted(rows.runs) }
}

function jsonCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
