import type { Program, Step } from './compile.ts'
import type { Place } from './syntax.ts'
import { holds, unitSet, words } from './units.ts'

/** A half-open range of UTF-16 units. */
export type Range = readonly [from: number, to: number]

export interface Covered {
  /** The ranges that any match covers, in order and disjoint. */
  readonly ranges: readonly Range[]
  /** Steps executed: at most (text length + 1) times the steps of the program. */
  readonly worked: number
}

/**
 * Finds the ranges that any match covers, in one pass without backtracking (a Pike VM). Each step of the program runs at
 * most once for each unit; of two threads at the same step, the one that began earlier covers more, and the other is dropped.
 */
export function cover(program: Program, text: string): Covered {
  const { steps, start, firsts } = program
  /** The place at which each step was last reached, so that it is reached once. */
  const reachedAt = new Int32Array(steps.length).fill(-1)
  const ranges: [number, number][] = []
  const ahead: number[] = []
  let worked = 0
  let now = threadsOf(steps.length)
  let next = threadsOf(steps.length)

  /** Follows a step to all steps that take a unit; the first thread to reach a step began earliest. */
  function reach(step: number, since: number, place: number, threads: Threads): void {
    ahead.push(step)
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      if (reachedAt[at] === place) continue
      reachedAt[at] = place
      worked += 1
      const reached = steps[at] as Step
      if (reached.op === 'take') {
        threads.at[threads.count] = at
        threads.since[threads.count] = since
        threads.count += 1
      } else if (reached.op === 'fork') ahead.push(...reached.ways)
      else if (reached.op === 'end') note(ranges, since, place)
      else if (isAt(reached.place, text, place)) ahead.push(reached.next)
    }
  }

  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place)
    if (holds(firsts, unit)) reach(start, place, place, now)
    // Most units of a log begin nothing.
    if (now.count === 0) continue
    for (let index = 0; index < now.count; index += 1) {
      const step = steps[now.at[index] as number] as Step & { op: 'take' }
      if (holds(step.set, unit)) reach(step.next, now.since[index] as number, place + 1, next)
    }
    const consumed = now
    now = next
    next = consumed
    next.count = 0
  }
  return { ranges, worked }
}

/** The steps that wait for the next unit, and where each of their matches began. */
interface Threads {
  readonly at: Int32Array
  readonly since: Int32Array
  count: number
}

/** A step is reached once at each place, so there are never more threads than steps. */
function threadsOf(stepCount: number): Threads {
  return { at: new Int32Array(stepCount), since: new Int32Array(stepCount), count: 0 }
}

/** Adds a match; ends come in order, starts may reach back over earlier ranges. */
function note(ranges: [number, number][], since: number, end: number): void {
  let from = since
  for (let last = ranges.at(-1); last !== undefined && last[1] >= from; last = ranges.at(-1)) {
    from = Math.min(from, last[0])
    ranges.pop()
  }
  ranges.push([from, end])
}

const wordUnits = unitSet(words, false)

function isAt(place: Place, text: string, at: number): boolean {
  if (place === 'start') return at === 0 || text.charCodeAt(at - 1) === 0x0a
  if (place === 'end') return at === text.length || text.charCodeAt(at) === 0x0a
  const isEdge = isWord(text, at - 1) !== isWord(text, at)
  return place === 'word-edge' ? isEdge : !isEdge
}

function isWord(text: string, at: number): boolean {
  return at >= 0 && at < text.length && holds(wordUnits, text.charCodeAt(at))
}
