import { parseArgs } from 'node:util'
import { agentBench } from './agent/index.ts'
import { auditsBench } from './audits/index.ts'
import { deathsBench } from './deaths/index.ts'
import { fleetBench } from './fleet/index.ts'
import { ledgerBench } from './ledger/index.ts'
import { type Bench, printTable, type Row } from './report.ts'
import { webhooksBench } from './webhooks/index.ts'

/*
 * `npm run bench [-- ledger webhooks fleet deaths agent audits] [--json] [--quick]`: each bench runs next to its baseline and prints ratios. With --json the
 * last line is one JSON object a bench. The fleet's amounts can be given, and which of its scenes are played:
 * `--jobs 100,300 --pods 100,1000 --scenes burst,crowd`.
 */
const benches: readonly Bench[] = [
  ledgerBench,
  webhooksBench,
  fleetBench,
  deathsBench,
  agentBench,
  auditsBench,
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    jobs: { type: 'string' },
    pods: { type: 'string' },
    scenes: { type: 'string' },
  },
})
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  console.error(
    `No bench is called ${unknown.join(', ')}. There are: ${benches.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
for (const bench of benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  console.log(`# ${bench.name}: ${bench.about}`)
  const results: Row[] = await bench.run({
    quick: values.quick,
    jobs: amountsOf('jobs'),
    pods: amountsOf('pods'),
    scenes: values.scenes?.split(','),
    say: (line) => console.log(`  ${line}`),
  })
  if (results.length === 0) {
    console.error(`The bench ${bench.name} has no scene called ${values.scenes}: nothing was measured.`)
    process.exit(2)
  }
  printTable(results)
  if (values.json) console.log(JSON.stringify({ bench: bench.name, results }))
}

function amountsOf(flag: 'jobs' | 'pods'): readonly number[] | undefined {
  const amounts = values[flag]?.split(',').map(Number)
  if (amounts === undefined || amounts.every((each) => Number.isInteger(each) && each > 0)) return amounts
  console.error(`--${flag}: expected whole numbers with commas between, such as 100,300; got ${values[flag]}`)
  process.exit(2)
}
