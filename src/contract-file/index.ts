export { readContract } from './parse.ts'
export { writeContract } from './write.ts'
