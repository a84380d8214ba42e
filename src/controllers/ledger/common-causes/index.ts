export { type CommonCausesDeps, commonCausesLoop } from './controller.ts'
