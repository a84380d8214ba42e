export { createMetrics, firstSeen, type ServedMetrics } from './metrics.ts'
