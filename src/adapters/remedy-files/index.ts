export { createApplyRecords } from './apply-records.ts'
export { createPlanFiles } from './plan-files.ts'
export { createTrailFile } from './trail-file.ts'
