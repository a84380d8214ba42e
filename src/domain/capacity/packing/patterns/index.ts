export { Effort } from './effort.ts'
export { placeByPatterns } from './place-by-patterns.ts'
