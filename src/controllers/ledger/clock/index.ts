export { clockLoop } from './controller.ts'
