export { originLoop } from './controller.ts'
