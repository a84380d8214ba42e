import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { reasonOf } from '../../src/domain/reason.ts'
import { buildBinaries } from './binaries/build.ts'
import { prepareMachine } from './machine/needs.ts'
import { endAbandoned, endSuite, suiteVariable } from './testing/names.ts'
import { sharedVariable } from './testing/shared.ts'
import { up } from './up.ts'

/*
 * `npm run test:cluster [-- <arguments of vitest>]`: builds what is missing, then every test on a real Kubernetes. What
 * breaks no node and no part of the control plane shares one: HOLDFAST_TEST_CLUSTER, or else one of the suite's own.
 */
const say = (line: string): void => console.log(line)
const here = fileURLToPath(new URL('.', import.meta.url))
const suite = `${process.pid}`
const sharedNodes = 3

try {
  await prepareMachine(say)
  await buildBinaries(say)
  await endAbandoned(say)
} catch (error) {
  say('THE CLUSTER TESTS DID NOT RUN.')
  say(reasonOf(error))
  say('0 passed, 1 failed')
  process.exit(1)
}
const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-cluster-suite-'))
const vitest = path.join(here, '../../node_modules/vitest/vitest.mjs')
const given = process.argv.slice(2)
// This test looks for leftovers of a cluster on the whole machine: no other cluster may start or end meanwhile.
const alone = ['test/cluster/down.test.ts']
const runs = given.length > 0 ? [given] : [alone, alone.flatMap((file) => ['--exclude', file])]
let passed = 0
let failed = 0
const env: NodeJS.ProcessEnv = { ...process.env, [suiteVariable]: suite }
for (const [index, args] of runs.entries()) {
  if (args !== given && index > 0) await share()
  const counts = await testsOf(args, path.join(folder, `${index}.json`))
  passed += counts.passed
  failed += counts.failed
}
await endSuite(suite)
await rm(folder, { recursive: true, force: true })
say(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** One cluster for all files that need none of their own; who runs several suites names one for all of them. */
async function share(): Promise<void> {
  if (env[sharedVariable]) return
  const name = `suite-${suite}-shared`
  const cluster = await up({ name, nodes: sharedNodes }, say)
  await cluster.close()
  env[sharedVariable] = name
}

async function testsOf(args: readonly string[], results: string) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${results}`]
  const config = ['run', '--config', path.join(here, 'vitest.config.ts')]
  const child = spawn(process.execPath, [vitest, ...config, ...args, ...reporters], {
    stdio: 'inherit',
    env,
  })
  const end = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  const [code] = await once(child, 'exit')
  return countsIn(results, code)
}

/** A file that could not be run at all counts as one failure. */
async function countsIn(results: string, code: number | null): Promise<{ passed: number; failed: number }> {
  const text = await readFile(results, 'utf8').catch(() => null)
  if (text === null) return { passed: 0, failed: 1 }
  const found = JSON.parse(text) as { numPassedTests: number; numFailedTests: number }
  const failed = found.numFailedTests === 0 && code !== 0 ? 1 : found.numFailedTests
  return { passed: found.numPassedTests, failed }
}
