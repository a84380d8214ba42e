export { type ProtectDeps, protectLoop } from './controller.ts'
