export { type LifecycleDeps, lifecycleLoop, reconcileAll, reconcileEach } from './controller.ts'
