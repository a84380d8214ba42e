export { createDemotedKeys, type DemotedKeys } from './demoted-keys.ts'
export { eachApart } from './each-apart.ts'
export { eachBounded } from './each-bounded.ts'
export { createKeyedExecutor } from './keyed-executor.ts'
export { createKeyedMutex, type KeyedMutex, mutexCallersMax } from './keyed-mutex.ts'
export { done, type Loop, type Outcome, requeueAfter, runLoop } from './loop.ts'
export {
  createReconciler,
  type ReconcileResult,
  type ReconcilerDeps,
  type ReconcilerSpec,
} from './reconciler.ts'
export { createSignal, type Signal } from './signal.ts'
export { createWorkerPool, type WorkerPool } from './worker-pool.ts'
