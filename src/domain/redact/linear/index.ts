export { compilePattern, patternCharsMax, stepsMax } from './compile.ts'
export { cover, type Range } from './cover.ts'
export { PatternProblem } from './syntax.ts'
