export { livenessLoop } from './controller.ts'
