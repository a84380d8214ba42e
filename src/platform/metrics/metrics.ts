import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type MetricEntry, type MetricName, metricTable, type OpenSet } from '../../domain/metrics/index.ts'
import type { Metrics } from '../../ports/metrics.ts'

/** Metrics with what `/metrics` answers. */
export interface ServedMetrics extends Metrics {
  readonly contentType: string
  text(): Promise<string>
}

/** The values that a label may have; all others are shown as one. A list of strings is one. */
export interface LabelValues {
  includes(value: string): boolean
}

export interface MetricsOptions {
  /** The values of the sets that depend on the configuration. */
  readonly sets: Readonly<Record<OpenSet, LabelValues>>
  /** Also memory, processor time and event loop of this process. */
  readonly ofProcess: boolean
}

const other = 'other'

type Labels = Readonly<Record<string, string>>
type Instrument = Counter | Gauge | Histogram

/** For names that come while we run: the first of them, so that nobody can make series without end. */
export function firstSeen(max: number): LabelValues {
  const seen = new Set<string>()
  return {
    includes(value) {
      if (seen.size < max) seen.add(value)
      return seen.has(value)
    },
  }
}

/** A registry of its own with every metric of the table. */
export function createMetrics({ sets, ofProcess }: MetricsOptions): ServedMetrics {
  const registry = new Registry()
  const entries = Object.entries(metricTable) as [MetricName, MetricEntry][]
  const instruments = new Map<MetricName, Instrument>()
  for (const [name, entry] of entries) instruments.set(name, createInstrument(name, entry, registry))
  if (ofProcess) collectDefaultMetrics({ register: registry })

  const record = (name: MetricName, labels: Labels, value: number, negativeAllowed: boolean): void => {
    if (!Number.isFinite(value) || (value < 0 && !negativeAllowed)) return
    const bounded = boundLabels(metricTable[name], labels, sets)
    const instrument = instruments.get(name)
    if (instrument instanceof Counter) instrument.inc(bounded, value)
    if (instrument instanceof Gauge) instrument.set(bounded, value)
    if (instrument instanceof Histogram) instrument.observe(bounded, value)
  }
  return {
    count: (name, labels, by = 1) => record(name, labels, by, false),
    set: (name, labels, value) => record(name, labels, value, true),
    observe: (name, labels, value) => record(name, labels, value, false),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

function createInstrument(name: MetricName, entry: MetricEntry, registry: Registry): Instrument {
  const shape = { name, help: entry.help, labelNames: Object.keys(entry.labels), registers: [registry] }
  if (entry.type === 'counter') return new Counter(shape)
  if (entry.type === 'gauge') return new Gauge(shape)
  return new Histogram({ ...shape, buckets: [...(entry.buckets ?? [])] })
}

function boundLabels(entry: MetricEntry, labels: Labels, sets: MetricsOptions['sets']): Labels {
  const bounded = Object.entries(entry.labels).map(([label, values]) => {
    const allowed: LabelValues = typeof values === 'string' ? sets[values] : values
    const value = labels[label]
    return [label, value !== undefined && allowed.includes(value) ? value : other]
  })
  return Object.fromEntries(bounded)
}
