export { createLog, type LogOptions } from './log.ts'
