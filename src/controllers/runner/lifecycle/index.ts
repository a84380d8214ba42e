export { type LifecycleDeps, lifecycleLoop, reconcile } from './controller.ts'
