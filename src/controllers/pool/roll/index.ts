export { rollLoop } from './controller.ts'
