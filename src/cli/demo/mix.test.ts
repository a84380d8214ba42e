import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { demoKinds, demoMix, demoScripts } from './mix.ts'

const run = promisify(execFile)

/** Runs a script as a runner does: as the child of a process of its own. Gives how that process ended. */
async function endOfRunner(script: string): Promise<{ code: number | null; signal: string | null }> {
  const child = spawn(process.execPath, ['-e', runner, script], { stdio: 'ignore' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return { code, signal }
}
const runner = `
  const child = require('node:child_process').spawn('sh', ['-e', '-c', process.argv[1]], { stdio: 'ignore' })
  child.on('exit', (code) => process.exit(code ?? 1))
`

describe('demo scripts', () => {
  it('are accepted by sh', async () => {
    for (const kind of demoKinds) {
      await expect(run('sh', ['-n', '-c', demoScripts[kind].script]), kind).resolves.toBeDefined()
    }
  })

  it('end well, fail, and kill their runner, as they say', async () => {
    const quick = (script: string) => script.replaceAll(/sleep \d+/g, 'sleep 0')
    const [short, failing, killed] = await Promise.all(
      [demoScripts.short, demoScripts.failing, demoScripts.killed].map(({ script }) =>
        endOfRunner(quick(script)),
      ),
    )
    expect(short).toEqual({ code: 0, signal: null })
    expect(failing).toEqual({ code: 1, signal: null })
    expect(killed).toEqual({ code: null, signal: 'SIGKILL' })
  })

  it('let a runner that hangs go on after the bound', async () => {
    const script = demoScripts.hanging.script.replace(/sleep \d+/, 'sleep 0.2')
    expect(await endOfRunner(script)).toEqual({ code: 0, signal: null })
  })
})

describe('demoMix', () => {
  it('spreads the jobs over several repositories', () => {
    const mix = demoMix(20, demoKinds, ['self-hosted'])
    expect(mix).toHaveLength(20)
    expect(new Set(mix.map(({ repository }) => repository)).size).toBeGreaterThan(3)
  })

  it('has only the kinds that are asked for', () => {
    expect(demoMix(3, ['memory', 'short'], []).map(({ kind }) => kind)).toEqual(['short', 'memory', 'short'])
  })
})
