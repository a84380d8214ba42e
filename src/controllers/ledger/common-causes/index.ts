export { commonCausesLoop } from './controller.ts'
