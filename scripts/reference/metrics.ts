import { type MetricEntry, metricTable } from '../../src/domain/metrics/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/metrics.md */
export function metricsPage(): string {
  const entries = Object.entries(metricTable) as [string, MetricEntry][]
  const rows = entries.map(([name, entry]) => [`\`${name}\``, entry.type, labelsText(entry), entry.help])
  return page('Metrics', intro, table(['metric', 'type', 'labels', 'what it says'], rows))
}

const intro = `Served for Prometheus at \`/metrics\`, next to the usual \`process_…\` and \`nodejs_…\` metrics. Every label has
a fixed set of values; anything else is counted as \`other\`, so that no input can make new series.`

function labelsText({ labels }: MetricEntry): string {
  const texts = Object.entries(labels).map(([label, values]) =>
    typeof values === 'string' ? `\`${label}\`: the ${values}` : `\`${label}\`: ${values.join(', ')}`,
  )
  return texts.join('; ')
}
