import type { Bench, BenchContext, Row } from '../report.ts'
import { captureRows } from './capture/index.ts'
import { classifyRows } from './classify.ts'

const scenes: Readonly<Record<string, (context: BenchContext) => Promise<Row[]>>> = {
  classify: classifyRows,
  capture: captureRows,
}

export const deathsBench: Bench = {
  name: 'deaths',
  about:
    'records captured and sealed against reading pod and log alone; stored ones judged against only reading them',
  async run(context) {
    const rows: Row[] = []
    for (const [name, play] of Object.entries(scenes)) {
      if (context.scenes?.includes(name) ?? true) rows.push(...(await play(context)))
    }
    return rows
  },
}
