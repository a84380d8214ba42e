export { type ClusterPools, createDeclaredPools, type DeclaredPoolsOptions } from './declared-pools.ts'
export { POOL_FINALIZER, runnerPools } from './object.ts'
