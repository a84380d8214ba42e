export { shipRecordsLoop } from './controller.ts'
