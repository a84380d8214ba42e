import { parseArgs } from 'node:util'
import { startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import { openDatabase } from '../../src/adapters/postgres/connection/index.ts'
import { openLedger } from '../../src/adapters/postgres/ledger/index.ts'
import { migrate } from '../../src/adapters/postgres/migrations/index.ts'
import { clock, entropy, recordedLog } from '../support/machine.ts'
import { admin, at } from '../support/postgres-admin.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { type FuzzResult, fuzz } from './fuzz.ts'

/*
 * `npm run test:ledger-fuzz`: whole operations on several ledgers on one real Postgres, side by side, watched by the
 * invariants of the simulation.   --minutes 2   --seed 1 (the first; one for each round)   --round 60 (seconds)   --ledgers 2
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: `${Math.floor(entropy.fraction() * 1e9)}` },
    round: { type: 'string', default: '60' },
    ledgers: { type: 'string', default: '2' },
  },
})
const lookEveryMs = 200
const progressEveryMs = 10_000
const log = recordedLog()
/** Writes may be lost with the machine: without waiting for the disk more happens at the same time. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const tls = { mode: 'disable' } as const

const until = clock.now() + Number(values.minutes) * 60_000
const folder = await temporaryFolder('holdfast-ledger-fuzz-')
const server = await startEmbedded({ dataDir: folder.path, log, clock, entropy, settings })
let passed = 0
let failed = 0
let operations = 0
let looks = 0
try {
  for (let seed = Number(values.seed); clock.now() < until && failed === 0; seed += 1) {
    const durationMs = Math.min(Number(values.round) * 1_000, until - clock.now())
    const result = await round(seed, durationMs)
    operations += result.operations
    looks += result.looks
    if (result.violation === null) passed += 1
    else failed += 1
    report(seed, result)
  }
} finally {
  await server.stop()
  await folder[Symbol.asyncDispose]()
}
console.log(`${operations} operations, ${looks} looks, ${values.ledgers} ledgers`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

/** One seed on a database of its own. */
async function round(seed: number, durationMs: number): Promise<FuzzResult> {
  const name = `fuzz_${seed}`
  await admin(server.url, `create database ${name}`)
  const url = at(server.url, name)
  const open = () => openDatabase({ url, tls, poolMax: 8, log, clock, entropy })
  const looking = await open()
  await migrate(looking, { log })
  const databases = await Promise.all(Array.from({ length: Number(values.ledgers) }, open))
  const opened = databases.map((database) => openLedger({ database, url, tls, log, clock, entropy }))
  const ledgers = await Promise.all(opened)
  let printedAt = clock.now()
  try {
    return await fuzz({
      ledgers,
      database: looking,
      seed,
      durationMs,
      lookEveryMs,
      clock,
      onLook(so) {
        if (clock.now() - printedAt < progressEveryMs) return
        printedAt = clock.now()
        console.log(`  seed ${seed}: ${so.operations} operations, ${so.looks} looks`)
      },
    })
  } finally {
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]()
    for (const database of [...databases, looking]) await database.close()
    await admin(server.url, `drop database ${name} with (force)`)
  }
}

function report(seed: number, result: FuzzResult): void {
  const { violation, contended, history, byName } = result
  const so = `${result.operations} operations, ${result.looks} looks, ${contended} contended`
  console.log(`${violation === null ? 'ok' : 'VIOLATION'}  seed ${seed}: ${so}`)
  if (violation === null) return
  console.log(`${violation.invariant}: ${violation.what}`)
  for (const line of history) console.log(`  ${line}`)
  console.log(`  ${[...byName].map(([name, times]) => `${name} ${times}`).join(', ')}`)
}
