import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../../sim/world/random.ts'
import { freePort } from '../../src/main/machine/free-port.ts'
import { leftovers, processesOf, removeUsers } from '../support/leftovers.ts'
import { startForge } from './forge.ts'
import { type Place, startHoldfast } from './holdfast.ts'
import { dispatchPoints, type Point, recoveryPoints } from './points.ts'
import {
  type Ground,
  killAt,
  killAtRandom,
  killInShutdown,
  killPostgresUnder,
  killWhileStarting,
  submitJobs,
  type Tally,
} from './rounds.ts'
import { settle } from './settle.ts'

/*
 * `npm run test:crash`: the real program is killed with SIGKILL at every step of a dispatch and at random, and
 * Postgres too. After each restart every job must reach its true end.   --rounds 3   --from 10 (the first step)   --seed 1
 *   --quick (CI's short form: at every step, and at random only after the shutdowns)
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    keep: { type: 'boolean' },
  },
})
const killsMin = values.quick ? 150 : 200
const shutdownRounds = 8
/** A step that a slow machine did not reach in its round is tried again, so often. */
const triesMore = 3
const logLines = 60

const root = await mkdtemp(path.join(tmpdir(), 'holdfast-crash-'))
await chmod(root, 0o755) // the embedded server's user must be able to enter it
const place: Omit<Place, 'forgeUrl'> = {
  dataDir: path.join(root, 'data'),
  port: await freePort('127.0.0.1'),
  token: randomBytes(16).toString('hex'),
  webhookSecret: randomBytes(16).toString('hex'),
}
await mkdir(place.dataDir)
await mkdir(path.join(root, 'forge'))
const url = `http://127.0.0.1:${place.port}`
const forge = await startForge(path.join(root, 'forge'), `${url}/webhooks/forge`, place)
const tally: Tally = {
  kills: { 'at a step': 0, 'at random': 0, 'during shutdown': 0, 'of Postgres': 0, 'during migration': 0 },
  met: new Set(),
  jobs: 0,
}
const random = createRandom(Number(values.seed))
const ground: Ground = { place: { ...place, forgeUrl: forge.url }, forge, tally, chance: random.fraction }
const began = performance.now()
let violations: string[] = []
let requeues = 0
let rounds = 0

try {
  violations = await run()
  if (violations.length === 0) violations.push(...(await cleanEnd()))
} finally {
  await forge.stop()
  // After a violation there was no clean end: nothing of ours may outlive the test all the same.
  for (const { pid } of await processesOf(place.dataDir)) process.kill(pid, 'SIGKILL')
  await removeUsers(place.dataDir)
}
process.exitCode = await report()

async function run(): Promise<string[]> {
  await round('a fresh data folder, killed while it starts', async () => {
    for (let n = 0; n < 5; n += 1) await killWhileStarting(ground)
  })
  for (const point of [...dispatchPoints, ...recoveryPoints].slice(Number(values.from))) {
    if (violations.length > 0 || isEnough()) return violations
    await round(`killed ${point.when} ${point.call}`, async () => {
      if (recoveryPoints.includes(point)) await forge.dropWebhooks(3)
      await killAt(point, ground, 1 + Math.floor(ground.chance() * 3))
      if (!values.quick) await killAtRandom(ground)
    })
  }
  for (let n = 0; n < triesMore; n += 1) {
    for (const point of missed()) {
      if (violations.length > 0 || isEnough()) return violations
      await round(`killed ${point.when} ${point.call}, at last`, () => killAt(point, ground, 1))
    }
  }
  for (let n = 0; n < shutdownRounds || (n < shutdownRounds * 3 && isShort()); n += 1) {
    if (violations.length > 0 || isEnough()) return violations
    await round('killed in its shutdown, then at random', async () => {
      await killInShutdown(ground)
      await killAtRandom(ground)
      await killAtRandom(ground)
    })
  }
  return violations
}

/** Jobs, kills, a restart with a killed Postgres, and the comparison with the truth. */
async function round(name: string, kill: () => Promise<void>): Promise<void> {
  rounds += 1
  const startedAt = performance.now()
  const jobIds = await submitJobs(ground, rounds % 2 === 0)
  await kill()
  const life = startHoldfast(ground.place)
  await killPostgresUnder(life, ground)
  const settled = await settle(forge, url, jobIds)
  requeues += settled.requeues
  violations.push(...settled.violations.map((what) => `${name}: ${what}`))
  life.kill('SIGKILL')
  await life.exited
  tally.kills['at random'] += 1
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`round ${rounds} (${seconds} s, ${kills()} kills so far): ${name}`)
}

/** Steps of the dispatch at which it was not killed yet. */
function missed(): readonly Point[] {
  if (values.rounds !== undefined) return []
  return dispatchPoints.filter(({ call, when }) => !tally.met.has(`${call} ${when}`))
}

function isShort(): boolean {
  return kills() < killsMin || tally.kills['during shutdown'] === 0
}

function kills(): number {
  return Object.values(tally.kills).reduce((sum, count) => sum + count, 0)
}

function isEnough(): boolean {
  return values.rounds !== undefined && rounds >= Number(values.rounds)
}

/** A last life ends cleanly, and nothing of it is left. */
async function cleanEnd(): Promise<string[]> {
  const life = startHoldfast(ground.place)
  await life.serving
  life.kill('SIGTERM')
  const { code, signal } = await life.exited
  const left = (await leftovers(place.dataDir)).map((what) => `left behind: ${what}`)
  return code === 0 ? left : [`a clean end gave ${signal ?? code}`, ...left]
}

async function report(): Promise<number> {
  for (const { call, when } of missed()) violations.push(`the program was never killed ${when} ${call}`)
  if (values.rounds === undefined && tally.kills['during shutdown'] === 0) {
    violations.push('the program was never killed during its shutdown')
  }
  if (values.rounds === undefined && kills() < killsMin)
    violations.push(`only ${kills()} kills of ${killsMin}`)
  console.log(`\n${rounds} rounds in ${Math.round((performance.now() - began) / 1000)} s`)
  for (const [kind, count] of Object.entries(tally.kills))
    console.log(`  ${String(count).padStart(4)} kills ${kind}`)
  console.log(
    `  ${kills()} kills, ${tally.jobs} jobs, ${requeues} requeues, ${tally.met.size} steps met, ${violations.length} violations`,
  )
  for (const what of violations) console.log(`VIOLATION: ${what}`)
  if (violations.length > 0) {
    const log = await readFile(path.join(root, 'holdfast.log'), 'utf8').catch(() => '')
    console.log(log.split('\n').slice(-logLines).join('\n'))
    console.log(JSON.stringify(await lastTruth(), null, 1).slice(-4_000))
  }
  if (violations.length === 0 && !values.keep) await rm(root, { recursive: true, force: true })
  else console.log(`Data and logs are kept in ${root}`)
  console.log(`${rounds - Math.min(rounds, violations.length)} passed, ${violations.length} failed`)
  return violations.length === 0 ? 0 : 1
}

async function lastTruth(): Promise<unknown> {
  return readFile(path.join(root, 'forge.log'), 'utf8').catch(() => '')
}
