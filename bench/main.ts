import { parseArgs } from 'node:util'
import { ledgerBench } from './ledger/index.ts'
import { type Bench, printTable, type Row } from './report.ts'
import { webhooksBench } from './webhooks/index.ts'

/*
 * `npm run bench [-- ledger webhooks] [--json] [--quick]`: each bench runs its baseline beside it and prints ratios. With --json the
 * last line is one JSON object a bench.
 */
const benches: readonly Bench[] = [ledgerBench, webhooksBench]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
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
  const results: Row[] = await bench.run({ quick: values.quick, say: (line) => console.log(`  ${line}`) })
  printTable(results)
  if (values.json) console.log(JSON.stringify({ bench: bench.name, results }))
}
