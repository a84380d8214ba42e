export { heartbeatLoop } from './controller.ts'
