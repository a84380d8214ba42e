export { createMetrics, type ServedMetrics } from './metrics.ts'
