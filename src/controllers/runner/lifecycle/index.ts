export { type LifecycleDeps, lifecycleLoop, reconcile, reconcileEach } from './controller.ts'
