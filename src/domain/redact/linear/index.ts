export { compilePattern, PATTERN_CHARS_MAX, type Program, STEPS_MAX } from './compile.ts'
export { type Covered, cover, type Range } from './cover.ts'
export { PatternProblem } from './syntax.ts'
