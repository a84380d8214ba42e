export { type QuarantineDeps, quarantineLoop } from './controller.ts'
