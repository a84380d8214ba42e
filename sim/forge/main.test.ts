import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { type ForgeProcess, forgeCalls, spawnForge } from './testing/kit.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

it('a forge that is killed at any time has lost nothing that it answered', async () => {
  const folder = untilTestEnds(await temporaryFolder())
  let forge = held(await spawnForge(folder.path, 0))
  const calls = forgeCalls(forge.url)
  const submitted: number[] = []
  const minted: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const alive = new AbortController()
    const load = keepBusy(calls, round, submitted, minted, alive.signal)
    const enough = submitted.length + 20
    await expect.poll(() => submitted.length, { interval: 5, timeout: 15_000 }).toBeGreaterThanOrEqual(enough)
    await forge.kill('SIGKILL')
    alive.abort()
    await load
    forge = held(await spawnForge(folder.path, forge.port))
    const truth = await calls.truth()
    const jobs = new Set(truth.jobs.map((job) => job.id))
    const runners = new Set(truth.runners.map((runner) => runner.id))
    expect(submitted.filter((id) => !jobs.has(id))).toEqual([])
    expect(minted.filter((id) => !runners.has(id))).toEqual([])
  }
  expect(new Set(submitted).size).toBe(submitted.length)
  expect(new Set(minted).size).toBe(minted.length)
})

it('a forge that lacks settings names each of them', () => {
  const { status, stderr } = spawnSync(process.execPath, [main, '--port', '0'], { env: {} })
  expect(status).toBe(2)
  expect(String(stderr)).toContain('--folder: expected a path')
  const wrong = spawnSync(process.execPath, [main, '--folder', 'x', '--delay', 'soon=1'], { env: {} })
  expect(String(wrong.stderr)).toContain('expected <name>=<ms>')
})

it('a forge with a port in use or a damaged journal exits with the reason', async () => {
  const folder = untilTestEnds(await temporaryFolder())
  const forge = held(await spawnForge(folder.path, 0))
  const env = { SIM_FORGE_TOKEN: 't', SIM_FORGE_WEBHOOK_SECRET: 's' }
  const other = path.join(folder.path, 'other')
  const start = (port: number) =>
    spawnSync(process.execPath, [main, '--folder', other, '--port', String(port)], { env })
  const taken = start(forge.port)
  expect([taken.status, String(taken.stderr)]).toEqual([1, expect.stringContaining('EADDRINUSE')])
  mkdirSync(other, { recursive: true })
  writeFileSync(path.join(other, 'snapshot.json'), '{"generation":')
  const damaged = start(0)
  expect([damaged.status, String(damaged.stderr)]).toEqual([1, expect.stringContaining('snapshot.json')])
})

function held(forge: ForgeProcess): ForgeProcess {
  onTestFinished(() => forge.kill('SIGKILL'))
  return forge
}

async function keepBusy(
  calls: ReturnType<typeof forgeCalls>,
  round: number,
  submitted: number[],
  minted: number[],
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    try {
      submitted.push(await calls.submit())
      minted.push((await calls.mint(`r-${round}-${n}`)).id)
    } catch {
      return // killed
    }
  }
}
