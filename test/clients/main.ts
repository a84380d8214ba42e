import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { token } from '../../sim/forge/testing/kit.ts'
import { reasonOf } from '../../src/domain/reason.ts'
import { appId, clientId, hook, privateKey, startContractForge } from '../contract/github/forge.ts'
import { type Client, clients } from './install.ts'
import { type Judged, judgedForge } from './judged.ts'

/*
 * `npm run test:clients`: clients of GitHub that nobody here wrote drive the simulated forge, each a fresh one. A client
 * that cannot be installed here is skipped, which is said and counted.
 *   --only pygithub|go-github
 */
/** No client takes longer; one that hangs must not hold up all others. */
const clientMsMax = 3 * 60_000
const say = (line: string): void => console.log(line)
const only = process.argv[process.argv.indexOf('--only') + 1]
const asked = process.argv.includes('--only') ? clients.filter(({ name }) => name === only) : clients

const tally = { passed: 0, failed: 0, skipped: 0 }
for (const client of asked) await drive(client)
say(`${tally.skipped} skipped`)
say(`${tally.passed} passed, ${tally.failed} failed`)
process.exitCode = tally.failed === 0 && asked.length > 0 ? 0 : 1

async function drive(client: Client): Promise<void> {
  const command = await client.install(say).catch((error: unknown) => {
    tally.skipped += 1
    say(
      `!!! SKIPPED: ${client.name} cannot be installed here, and the simulated forge was not tried with it:`,
    )
    say(`!!! ${reasonOf(error)}`)
    return null
  })
  if (command === null) return
  say(`${client.name} ${client.version}`)
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-clients-'))
  const forge = await startContractForge()
  const judged = await judgedForge(forge.server.url)
  try {
    const keyFile = path.join(folder, 'key.pem')
    await writeFile(keyFile, privateKey, { mode: 0o600 })
    const env = {
      ...process.env,
      FORGE_URL: judged.url,
      FORGE_TOKEN: token,
      FORGE_APP_ID: String(appId),
      FORGE_CLIENT_ID: clientId,
      FORGE_HOOK_ID: String(hook),
      FORGE_PRIVATE_KEY_FILE: keyFile,
    }
    await count(command, env)
    countJudged(judged)
  } finally {
    await judged[Symbol.asyncDispose]()
    await forge[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Counts whether requests and answers are as GitHub describes them, and prints each difference. */
function countJudged({ count: judgedCount, differences }: Judged): void {
  const isFine = judgedCount > 0 && differences.size === 0
  tally[isFine ? 'passed' : 'failed'] += 1
  say(`  ${isFine ? 'ok' : 'not ok'} ${judgedCount} requests and answers are as GitHub describes them`)
  for (const difference of differences) say(`    ${difference}`)
}

/** Each line `ok …` or `not ok …` is a check; a client that ends badly without one has failed too. */
async function count(command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'], timeout: clientMsMax })
  const before = tally.passed + tally.failed
  const failedBefore = tally.failed
  createInterface({ input: child.stdout }).on('line', (line) => {
    say(`  ${line}`)
    if (line.startsWith('ok ')) tally.passed += 1
    if (line.startsWith('not ok ')) tally.failed += 1
  })
  const [code, signal] = await once(child, 'close')
  const isSilent = tally.passed + tally.failed === before
  if (!isSilent && (code === 0 || tally.failed > failedBefore)) return
  tally.failed += 1
  say(`  not ok: ${program} ended with ${code ?? signal}`)
}
