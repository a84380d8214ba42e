export { type HeartbeatDeps, heartbeatLoop } from './controller.ts'
