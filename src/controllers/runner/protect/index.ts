export { protectLoop } from './controller.ts'
