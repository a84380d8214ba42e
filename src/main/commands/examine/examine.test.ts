import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRoot } from '../../../../test/support/embedded.ts'
import { temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { loadConfig } from '../../../platform/config/index.ts'
import { examine } from './index.ts'

describe('examine', () => {
  it('finds a port that is taken with who has it, room on the disk, and what jobs can reach', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const checks = await look({ HOLDFAST_HTTP_PORT: String(port), HOLDFAST_FORGE_SIMULATED_PORT: '0' })
    expect(checks.get('ports')).toMatchObject({
      result: 'fail',
      todo: expect.stringContaining('--http-port'),
    })
    expect(checks.get('ports')?.found).toContain(`127.0.0.1:${port} (http.port)`)
    expect(checks.get('disk')?.found).toMatch(/^\d+ MiB free in \//)
    expect(checks.get('isolation')?.result).toBe(isRoot ? 'ok' : 'warn')
    expect((await look({ HOLDFAST_RUNNERS_ISOLATION: 'off' })).get('isolation')?.result).toBe('warn')
    expect(checks.has('cgroups')).toBe(true)
  })

  it('finds nothing wrong with ports that are free', async () => {
    const free = { HOLDFAST_HTTP_PORT: '0', HOLDFAST_FORGE_SIMULATED_PORT: '0' }
    expect((await look(free)).get('ports')).toMatchObject({ result: 'ok', todo: null })
  })
})

async function look(env: Record<string, string>) {
  const folder = untilTestEnds(await temporaryFolder())
  const { config } = loadConfig({
    env: { HOLDFAST_DATA_DIR: path.join(folder.path, 'not', 'made', 'yet'), ...env },
    flags: {},
    readFile: () => undefined,
    isRoot: false,
  })
  return new Map((await examine(config)).map((check) => [check.name, check]))
}
