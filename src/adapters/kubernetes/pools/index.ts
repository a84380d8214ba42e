export { createDeclaredPools } from './declared-pools.ts'
export { poolFinalizer, runnerPools } from './object.ts'
