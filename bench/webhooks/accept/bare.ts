import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

/*
 * The fastest honest way to take a message: read it, one prepared INSERT on a pool as large as ours, one commit,
 * 202. It verifies nothing, wakes nobody and checks nothing. A process of its own, as ours is.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_MAX) })
const statement = { name: 'insert', text: 'insert into bare_deliveries (guid, body) values ($1, $2)' }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const values = [request.headers['x-github-delivery'], Buffer.concat(chunks).toString()]
    pool.query({ ...statement, values }).then(
      () => response.writeHead(202, { 'content-length': 0 }).end(),
      () => response.writeHead(500, { 'content-length': 0 }).end(),
    )
  })
})
await pool.query('create table if not exists bare_deliveries (guid text primary key, body text not null)')
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.once('SIGTERM', () => {
  server.close(() => void pool.end())
  server.closeAllConnections()
  process.disconnect?.()
})
