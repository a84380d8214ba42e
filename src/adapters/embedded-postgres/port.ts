import { createServer } from 'node:net'
import { readIfThere, writeDurably } from './files.ts'

const loopback = '127.0.0.1'

/** The port of the last start if it is still free, so that addresses noted down keep working; else any free one. */
export async function choosePort(file: string): Promise<number> {
  const last = Number(await readIfThere(file).catch(() => undefined)) // a memory only: unreadable is forgotten
  if (Number.isInteger(last) && last > 1023 && last < 65536 && (await bind(last)) !== undefined) return last
  const free = await bind(0)
  if (free === undefined) throw new Error(`no free port on ${loopback}`)
  return free
}

/** Notes the port that the server got. */
export async function rememberPort(file: string, port: number): Promise<void> {
  await writeDurably(file, `${port}\n`)
}

function bind(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, loopback, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}
