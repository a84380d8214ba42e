import type { Program, Step } from './compile.ts'
import type { Place } from './syntax.ts'
import { holds, unitSet, words } from './units.ts'

/** From the first unit to behind the last. */
export type Range = readonly [from: number, to: number]

export interface Covered {
  /** All that any match covers, in order, not touching each other. */
  readonly ranges: readonly Range[]
  /** Work done: at most the text's length, plus one, times the program's steps. */
  readonly worked: number
}

/**
 * Finds what any match covers, in one pass that never goes back. At each unit every step of the program is tried once
 * at most; of two ways to the same step the one that began earlier covers more, and the other is dropped.
 */
export function cover(program: Program, text: string): Covered {
  const { steps, start, firsts } = program
  /** At which place each step was reached last, so that it is reached once. */
  const reachedAt = new Int32Array(steps.length).fill(-1)
  const ranges: [number, number][] = []
  const ahead: number[] = []
  let worked = 0
  let now: Threads = { at: [], since: [] }
  let next: Threads = { at: [], since: [] }

  /** Goes on to all steps that take a unit; who comes first began earliest. */
  function reach(step: number, since: number, place: number, threads: Threads): void {
    ahead.push(step)
    for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
      if (reachedAt[at] === place) continue
      reachedAt[at] = place
      worked += 1
      const reached = steps[at] as Step
      if (reached.op === 'take') {
        threads.at.push(at)
        threads.since.push(since)
      } else if (reached.op === 'fork') ahead.push(...reached.ways)
      else if (reached.op === 'end') note(ranges, since, place)
      else if (isAt(reached.place, text, place)) ahead.push(reached.next)
    }
  }

  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place)
    if (holds(firsts, unit)) reach(start, place, place, now)
    for (let index = 0; index < now.at.length; index += 1) {
      const step = steps[now.at[index] as number] as Step & { op: 'take' }
      if (holds(step.set, unit)) reach(step.next, now.since[index] as number, place + 1, next)
    }
    ;[now, next] = [next, now]
    next.at.length = 0
    next.since.length = 0
  }
  return { ranges, worked }
}

interface Threads {
  readonly at: number[]
  readonly since: number[]
}

/** Ends come in order; begins may reach back over ranges that are there. */
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
