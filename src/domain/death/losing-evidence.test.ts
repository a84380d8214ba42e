import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { ContainerEnd, Ending, NodeAtEnd, PodEnd } from './ending.ts'
import type { HostSamples } from './host-samples.ts'
import type { DeathFacts, JobAtEnd, Verdict } from './record.ts'
import { factsOf } from './rules/cases/case.ts'
import { ruleCases } from './rules/cases/index.ts'

type Loss = readonly [what: string, left: DeathFacts]
const ranks: Readonly<Record<Verdict['confidence'], number>> = { unknown: 0, likely: 1, proven: 2 }
const corpus: readonly DeathFacts[] = ruleCases
  .flatMap(({ fires, not, impostor }) => [fires, not, ...(impostor === undefined ? [] : [impostor.facts])])
  .map(factsOf)
const judge = ({ ending, ...known }: DeathFacts) => classifyDeath(ending, known)

/** Every record that is left of one when one piece of its evidence was not read. */
function losses(facts: DeathFacts): Loss[] {
  const { ending, ring, job } = facts
  return [
    ...(ending === null ? [] : [['all of it', { ...facts, ending: null }] as const]),
    ...(job === null ? [] : [['its job', { ...facts, job: null }] as const]),
    ...(ring === null ? [] : [['its ring', { ...facts, ring: null }] as const]),
    ...(ending === null ? [] : ofEnding(ending)).map(
      ([what, left]): Loss => [what, { ...facts, ending: left }],
    ),
    ...(ring === null ? [] : ofRing(ring)).map(([what, left]): Loss => [what, { ...facts, ring: left }]),
    ...(job === null ? [] : without(job, ...jobKeys)).map(
      ([what, left]): Loss => [`job.${what}`, { ...facts, job: left as JobAtEnd }],
    ),
  ]
}

const jobKeys = [
  ...(['forgeStatus', 'conclusion', 'heardAt', 'forgeCompletedAt', 'startedAt', 'pastDeadline'] as const),
]
const endKeys = [
  'signal',
  'startedAt',
  'oomKills',
  'memoryPeakBytes',
  'memoryLimitBytes',
  'stopRequestedBy',
] as const
const podKeys = [
  'reason',
  'message',
  'disruption',
  'trouble',
  'deletedAt',
  'nodeAtEnd',
  'bootIdAtStart',
] as const
const containerKeys = [
  'reason',
  'message',
  'exitCode',
  'signal',
  'startedAt',
  'finishedAt',
  'earlier',
] as const

function ofEnding(ending: Ending): [string, Ending][] {
  const { pod, tail, samples, exitCode } = ending
  return [
    ...without(ending, ...endKeys),
    // An exit code of 0 says that what its log complains of is its job's own business: without it the log is all there is.
    ...(exitCode === null || exitCode === 0 ? [] : without(ending, 'exitCode')),
    ...(tail === '' ? [] : [['tail', { ...ending, tail: '' }] as [string, Ending]]),
    ...shorter(samples).map((left, n): [string, Ending] => [`samples ${n}`, { ...ending, samples: left }]),
    ...(pod === null ? [] : [['pod', { ...ending, pod: null }] as [string, Ending], ...ofPod(pod, ending)]),
  ]
}

function ofPod(pod: PodEnd, ending: Ending): [string, Ending][] {
  const { conditions, events, containers, nodeAtEnd } = pod
  const left: [string, PodEnd][] = [
    ...without(pod, ...podKeys),
    ...shorter(conditions).map((few, n): [string, PodEnd] => [
      `conditions ${n}`,
      { ...pod, conditions: few },
    ]),
    ...shorter(events).map((few, n): [string, PodEnd] => [`events ${n}`, { ...pod, events: few }]),
    ...shorter(containers).map((few, n): [string, PodEnd] => [
      `containers ${n}`,
      { ...pod, containers: few },
    ]),
    ...containers.flatMap((each, place) =>
      without(each, ...containerKeys).map(([what, one]): [string, PodEnd] => [
        `${each.name}.${what}`,
        { ...pod, containers: containers.with(place, one as ContainerEnd) },
      ]),
    ),
    ...(nodeAtEnd === null ? [] : ofNode(nodeAtEnd)).map(([what, one]): [string, PodEnd] => [
      what,
      { ...pod, nodeAtEnd: one },
    ]),
  ]
  return left.map(([what, one]) => [`pod.${what}`, { ...ending, pod: one }])
}

function ofNode(node: NodeAtEnd): [string, NodeAtEnd][] {
  return [
    ...(node.isGone ? [['isGone', { ...node, isGone: false }] as [string, NodeAtEnd]] : []),
    ...without(node, 'bootId'),
    ...(node.isCordoned ? [['isCordoned', { ...node, isCordoned: false }] as [string, NodeAtEnd]] : []),
    ...shorter(node.taints).map((few, n): [string, NodeAtEnd] => [`taints ${n}`, { ...node, taints: few }]),
    ...shorter(node.conditions).map((few, n): [string, NodeAtEnd] => [
      `node conditions ${n}`,
      { ...node, conditions: few },
    ]),
  ]
}

function ofRing(ring: HostSamples): [string, HostSamples][] {
  const last = ring.samples.at(-1)?.at ?? 0
  const kept: (readonly [string, HostSamples['samples']])[] = [
    ['samples', []],
    ['the newest samples', ring.samples.filter(({ at }) => at < last - 5_000)],
    ['the oldest samples', ring.samples.slice(-3)],
    ['most samples', ring.samples.filter((_, place) => place % 10 === 0)],
    ['the counts of kills', ring.samples.map((each) => ({ ...each, oomKills: null }))],
    ['the counts of refused processes', ring.samples.map((each) => ({ ...each, forksRefused: null }))],
    ['its memory', ring.samples.map((each) => ({ ...each, memoryBytes: null }))],
    ['its processor time', ring.samples.map((each) => ({ ...each, cpuMs: null }))],
  ]
  return [
    ...kept.map(([what, samples]): [string, HostSamples] => [`ring: ${what}`, { ...ring, samples }]),
    ...shorter(ring.oomLines).map((few, n): [string, HostSamples] => [
      `line ${n}`,
      { ...ring, oomLines: few },
    ]),
  ]
}

function without<T extends object>(whole: T, ...keys: readonly (keyof T & string)[]): [string, T][] {
  return keys.flatMap((key): [string, T][] => (whole[key] == null ? [] : [[key, { ...whole, [key]: null }]]))
}

function shorter<T>(list: readonly T[]): (readonly T[])[] {
  return list.map((_, place) => list.toSpliced(place, 1))
}

/** An end whose pod is from one case, and whose other evidence is from another. */
function mixed(other: Ending | null, end: Ending | null): Ending | null {
  if (other === null || end === null) return end
  const { tail, samples, stopRequestedBy, oomKills, memoryPeakBytes, memoryLimitBytes } = other
  return { ...end, tail, samples, stopRequestedBy, oomKills, memoryPeakBytes, memoryLimitBytes }
}

function expectNotSurer(before: DeathFacts, loss: Loss): void {
  const { whole, less, comparison } = compared(before, loss)
  expect(ranks[less.confidence], comparison).toBeLessThanOrEqual(ranks[whole.confidence])
}

function expectNoNewProof(before: DeathFacts, loss: Loss): void {
  const { whole, less, comparison } = compared(before, loss)
  if (less.confidence === 'proven') expect(whole.confidence, comparison).toBe('proven')
  if (less.class === whole.class)
    expect(ranks[less.confidence], comparison).toBeLessThanOrEqual(ranks[whole.confidence])
}

function compared(before: DeathFacts, [what, left]: Loss) {
  const [whole, less] = [judge(before), judge(left)]
  const comparison = `without ${what}: ${whole.class}, ${whole.confidence} (${whole.rule}) became ${less.class}, ${less.confidence} (${less.rule})`
  return { whole, less, comparison }
}

describe('evidence that is lost', () => {
  it('never makes a verdict surer, whichever piece of whichever case it is', () => {
    for (const facts of corpus) for (const loss of losses(facts)) expectNotSurer(facts, loss)
  })

  it('never proves anything, nor makes the same class surer, where ends are mixed and piece after piece is lost', () => {
    const one = fc.constantFrom(...corpus)
    const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(one, one, one, one, picks, (end, pod, ring, job, at) => {
        const ending = mixed(end.ending, pod.ending)
        let left: DeathFacts = { ending, ring: ring.ring, job: job.job }
        for (const place of at) {
          const all = losses(left)
          const loss = all[place % Math.max(1, all.length)]
          if (loss === undefined) return
          expectNoNewProof(left, loss)
          left = loss[1]
        }
      }),
      { numRuns: 3_000 },
    )
  })
})
