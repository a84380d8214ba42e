import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkPorts } from './check-ports.ts'

const host = '127.0.0.1'

describe('checkPorts', () => {
  it('names every port in use in one error, with its setting and the process that has it', async () => {
    const [first, second] = [await taken(), await taken()]
    const wanted = [
      { host, port: first, setting: 'http.port' },
      { host, port: second, setting: 'forge.simulated.port' },
    ]
    const error = await checkPorts(wanted).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'E_PORT_IN_USE' })
    const who = process.platform === 'linux' ? `process ${process.pid} \\(.+\\)` : '.+'
    expect(String(error)).toMatch(new RegExp(`port ${first} on 127\\.0\\.0\\.1 \\(http\\.port\\): ${who}`))
    expect(String(error)).toMatch(
      new RegExp(`port ${second} on 127\\.0\\.0\\.1 \\(forge\\.simulated\\.port\\): ${who}`),
    )
  })

  it('names two settings that want the same port', async () => {
    const port = await freed()
    const wanted = [
      { host, port, setting: 'http.port' },
      { host, port, setting: 'forge.simulated.port' },
    ]
    await expect(checkPorts(wanted)).rejects.toThrow('(forge.simulated.port): the setting http.port')
  })

  it('accepts free ports, 0, and an address that is not of this machine', async () => {
    const wanted = [
      { host, port: await freed(), setting: 'http.port' },
      { host, port: 0, setting: 'http.port' },
      { host: '192.0.2.1', port: await freed(), setting: 'http.port' },
    ]
    await expect(checkPorts(wanted)).resolves.toBeUndefined()
  })
})

async function taken(): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function freed(): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
