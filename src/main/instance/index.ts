export { type Instance, instanceIn, instancesOf } from './find.ts'
export { type NotedInstance, noteInstance } from './note.ts'
export type { Asker } from './places.ts'
