import { randomBytes } from 'node:crypto'
import { readFileSync, unlinkSync } from 'node:fs'
import { constants, hostname } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { decodeJit, type JitConfig } from '../forge/jit.ts'
import { createForgeClient, exitCodes, RunnerEnd } from './client.ts'
import { runJob } from './run-job.ts'
import { setupLines } from './setup-info.ts'

/**
 * Stands for the forge's own runner program: takes one job, runs it, ends.
 *   --jitconfig-file <path>  [--work-folder <path>]
 * The file is unlinked as soon as it is read.
 */
const exitUsage = 64
const say = (line: string): void => void process.stdout.write(`${line}\n`)
// The reader of our output may have died: that is no reason to fail a job.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

process.exit(await main())

async function main(): Promise<number> {
  const settings = readSettings()
  if (typeof settings === 'string') {
    process.stderr.write(`${settings}\n`)
    return exitUsage
  }
  const { config, workFolder } = settings
  const stopping = new AbortController()
  let stopCode = 0
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stopCode ||= 128 + constants.signals[signal]
      stopping.abort()
    })
  }
  try {
    // Distinguishes a second program with the same configuration from a retry of this one.
    const owner = `${hostname()}-${process.pid}-${randomBytes(8).toString('hex')}`
    const client = createForgeClient(config, owner)
    await client.connect(stopping.signal)
    say('√ Connected to the forge')
    say('Listening for Jobs')
    const job = await client.nextJob(stopping.signal)
    const { name: runnerName, renewEveryMs } = config
    const end = await runJob(job, {
      client,
      runnerName,
      workFolder,
      setup: setupLines('.setup_info'),
      renewEveryMs,
      say,
      stopping: stopping.signal,
    })
    if (end === 'stopped') return stopCode
    return end === 'lost' ? exitCodes.terminated : 0
  } catch (error) {
    if (stopping.signal.aborted) return stopCode
    say(error instanceof RunnerEnd ? error.message : `The runner failed: ${String(error)}`)
    return error instanceof RunnerEnd ? error.exitCode : exitCodes.terminated
  }
}

function readSettings(): { config: JitConfig; workFolder: string } | string {
  try {
    const { values } = parseArgs({
      options: { 'jitconfig-file': { type: 'string' }, 'work-folder': { type: 'string', default: '_work' } },
    })
    const file = values['jitconfig-file']
    if (file === undefined) return '--jitconfig-file: expected a path, got nothing'
    const encoded = readFileSync(file, 'utf8')
    unlinkSync(file)
    const config = decodeJit(encoded)
    if (config === null) return `${file}: expected a runner configuration as the forge gives it`
    return { config, workFolder: path.resolve(values['work-folder']) }
  } catch (error) {
    return (error as Error).message
  }
}
