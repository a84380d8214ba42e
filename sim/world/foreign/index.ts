export { createForeignFleet, type ForeignSide } from './fleet.ts'
export { liftEscalated } from './people.ts'
export { reapSourceOf } from './source.ts'
