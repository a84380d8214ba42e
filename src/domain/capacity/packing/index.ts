export { competingPart } from './competing.ts'
export { type Packed, pack } from './pack.ts'
export type { Packing, PackingItem } from './packing.ts'
