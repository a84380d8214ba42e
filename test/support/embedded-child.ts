import { startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import { clock, entropy, recordedLog } from './machine.ts'

/**
 * A program that does nothing but hold an embedded server on the folder it is given. Says in one line of JSON
 * that it serves, or why not; ends in order when its stdin closes.
 */
const [, , dataDir = '', settings = '{}'] = process.argv
try {
  const server = await startEmbedded({
    dataDir,
    log: recordedLog(),
    clock,
    entropy,
    settings: JSON.parse(settings),
  })
  console.log(JSON.stringify({ url: server.url, port: server.port, pid: server.pid }))
  process.stdin.resume().once('end', () => {
    void server.stop().then(() => process.exit(0))
  })
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  console.log(JSON.stringify({ code, message }))
  process.exit(1)
}
