export {
  type LabelsOf,
  type MetricEntry,
  type MetricName,
  type MetricOf,
  metricTable,
  type OpenSet,
  openSets,
} from './table.ts'
