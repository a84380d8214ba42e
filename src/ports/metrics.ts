import type { LabelsOf, MetricOf } from '../domain/metrics/index.ts'

/**
 * Numbers for operators, by the names of the one table. A label value outside its declared set is counted
 * as `other`, so that no input can make new series. Recording never throws.
 */
export interface Metrics {
  count<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void
  set<Name extends MetricOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void
  observe<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void
}
