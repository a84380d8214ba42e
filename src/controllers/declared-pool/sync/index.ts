export { syncLoop } from './controller.ts'
