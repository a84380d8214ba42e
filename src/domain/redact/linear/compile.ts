import { parsePattern } from './parse.ts'
import { type Node, PatternProblem, type Place } from './syntax.ts'
import { type UnitSet, union, unitSet } from './units.ts'

/** One step of a program: take one unit, go two ways, look at the place, or be at the end. */
export type Step =
  | { readonly op: 'take'; readonly set: UnitSet; readonly next: number }
  | { readonly op: 'fork'; readonly ways: readonly number[] }
  | { readonly op: 'look'; readonly place: Place; readonly next: number }
  | { readonly op: 'end' }

export interface Program {
  readonly steps: readonly Step[]
  readonly start: number
  /** The units with which a match can begin. */
  readonly firsts: UnitSet
}

/** The longest pattern and the greatest program: the work for a text is its length times the steps. */
export const patternCharsMax = 500
export const stepsMax = 1_000

const endMark = 0

/** Makes a pattern ready to be looked for; throws a PatternProblem where it is not one, or too large. */
export function compilePattern(source: string): Program {
  if (source.length > patternCharsMax) {
    throw new PatternProblem(`more than ${patternCharsMax} characters`, patternCharsMax)
  }
  const { node, ignoresCase } = parsePattern(source)
  const steps: Step[] = [{ op: 'end' }]
  const start = write(node, endMark, { steps, ignoresCase })
  const begins = firstSteps(steps, start)
  if (begins.includes(endMark))
    throw new PatternProblem('a pattern that also matches no characters at all', 0)
  const taking = begins.map((at) => steps[at] as Step).filter((step) => step.op === 'take')
  return { steps, start, firsts: union(taking.map(({ set }) => set)) }
}

interface Writing {
  readonly steps: Step[]
  readonly ignoresCase: boolean
}

/** Writes the steps of a node that go on at `next`; gives where they begin. */
function write(node: Node, next: number, writing: Writing): number {
  switch (node.kind) {
    case 'units':
      return add({ op: 'take', set: unitSet(node.ranges, writing.ignoresCase), next }, writing)
    case 'place':
      return add({ op: 'look', place: node.place, next }, writing)
    case 'sequence':
      return node.parts.reduceRight((after, part) => write(part, after, writing), next)
    case 'choice':
      return add({ op: 'fork', ways: node.options.map((option) => write(option, next, writing)) }, writing)
    case 'repeat':
      return writeRepeat(node, next, writing)
  }
}

/** Counts are written out: `a{2,3}` is `aa(a)?`. */
function writeRepeat(node: Node & { kind: 'repeat' }, next: number, writing: Writing): number {
  let at = next
  if (node.max === null) at = writeLoop(node.of, next, writing)
  else for (let n = node.min; n < node.max; n += 1) at = add(optional(node.of, at, next, writing), writing)
  for (let n = 0; n < node.min; n += 1) at = write(node.of, at, writing)
  return at
}

function optional(of: Node, after: number, next: number, writing: Writing): Step {
  return { op: 'fork', ways: [write(of, after, writing), next] }
}

function writeLoop(of: Node, next: number, writing: Writing): number {
  const loop = add({ op: 'fork', ways: [next] }, writing)
  const body = write(of, loop, writing)
  writing.steps[loop] = { op: 'fork', ways: [body, next] }
  return loop
}

function add(step: Step, { steps }: Writing): number {
  // Also bounds the writing itself: counts of counts multiply.
  if (steps.length >= stepsMax) {
    throw new PatternProblem(`more than ${stepsMax} steps once its counts are written out`, 0)
  }
  return steps.push(step) - 1
}

/** All steps that can be reached before any unit is taken, wherever that is. */
function firstSteps(steps: readonly Step[], start: number): number[] {
  const seen = new Set<number>()
  const ahead = [start]
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const step = steps[at] as Step
    if (step.op === 'fork') ahead.push(...step.ways)
    if (step.op === 'look') ahead.push(step.next)
  }
  return [...seen]
}
