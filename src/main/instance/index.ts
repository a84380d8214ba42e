export { instanceIn, instancesOf } from './find.ts'
export type { InstanceOwner } from './paths.ts'
export { registerInstance } from './register.ts'
