export {
  type LabelsOf,
  type MetricEntry,
  type MetricName,
  type MetricOf,
  metricTable,
  type OpenSet,
} from './table.ts'
