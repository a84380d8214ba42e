export { type ShipRecordsDeps, shipRecordsLoop } from './controller.ts'
