import type { Bench } from '../report.ts'
import { classifyRows } from './classify.ts'

export const deathsBench: Bench = {
  name: 'deaths',
  about: 'stored death records judged against only reading them',
  run: (context) => classifyRows(context),
}
