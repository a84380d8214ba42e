export { quarantineLoop } from './controller.ts'
