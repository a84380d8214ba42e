import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../src/main/machine/free-port.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { newPlace } from './support/place.ts'
import { holdfast, launch } from './support/program.ts'
import { startProgram } from './support/start-program.ts'

// One life of one data folder in one test: a start makes a database, which takes its time.
describe('the first hour in two terminals', { timeout: 120_000 }, () => {
  it('ports, the commands that were printed, labels that nobody serves, a kill', async () => {
    const place = untilTestEnds(await newPlace())
    const [one, two] = [await taken(), await taken()]

    // Both ports are taken: both are named with who has them, and no database was made.
    const ports = { HOLDFAST_HTTP_PORT: String(one), HOLDFAST_FORGE_SIMULATED_PORT: String(two) }
    const refused = await launch(place, { args: ['up'], env: ports }).ended
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('E_PORT_IN_USE') })
    for (const port of [one, two]) {
      expect(refused.err).toMatch(new RegExp(`port ${port} on 127\\.0\\.0\\.1 .*process ${process.pid} `))
    }
    expect(await readdir(place.dataDir)).toEqual([])

    // A second terminal knows nothing of the ports and the folder of the first, and runs what was printed.
    const program = untilTestEnds(await startProgram(place))
    const {
      HOLDFAST_DATA_DIR: _folder,
      HOLDFAST_HTTP_PORT: _port,
      HOLDFAST_FORGE_SIMULATED_PORT: _forge,
      ...env
    } = place.env
    const settings = path.join(place.env.HOME ?? '', 'second.yaml')
    const nobodyAt = await freePort('127.0.0.1')
    await writeFile(settings, `http: { port: ${nobodyAt} }\n`)
    const second = { ...place, env: { ...env, HOLDFAST_CONFIG: settings } }
    await program.says(/to end/)
    const printed = [...program.written().matchAll(/^ {2}\S.*? {2,}((?:\/|').*holdfast'? .*)$/gm)]
    const commands = printed.map(([, command = '']) => command)
    expect(commands.join('\n')).toMatch(/ demo\n.* submit --script 'echo hi' --wait\n.* jobs --all/)
    for (const command of commands.filter((text) => !text.endsWith(' demo'))) {
      const ran = await launch(second, { command: ['sh', '-c', command], args: [] }).ended
      expect({ command, ...ran }).toMatchObject({ code: 0, err: '' })
    }

    // The operator's token of that folder is enough to change things.
    expect(await holdfast(second, 'release', '1')).toMatchObject({
      code: 5,
      err: expect.stringContaining('E_RELEASE_REFUSED'),
    })

    // Labels that nobody serves.
    const foreign = await holdfast(second, 'submit', '--label', 'gpu', '--script', 'true')
    expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining('E_LABELS_UNSERVED') })
    expect(foreign.err).toContain('pool local has self-hosted, linux, local')
    const waits = await holdfast(second, 'submit', '--label', 'self-hosted', 'gpu', '--script', 'true')
    expect(waits).toMatchObject({ code: 1, out: expect.stringContaining('holdfast why 2') })
    expect(await holdfast(second, 'why', '2')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/No pool/i),
    })

    // The note of a killed one is ignored, and the error names the address.
    await program.end('SIGKILL')
    const gone = await holdfast(second, 'jobs')
    expect(gone).toMatchObject({ code: 4, err: expect.stringContaining('E_SERVER_UNREACHABLE') })
    expect(gone.err).toContain(
      `at http://127.0.0.1:${nobodyAt} (as the settings say, because no instance serves `,
    )
  })
})

async function taken(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  untilTestEnds({ [Symbol.asyncDispose]: async () => void server.close() })
  return (server.address() as AddressInfo).port
}
