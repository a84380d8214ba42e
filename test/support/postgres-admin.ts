import pg from 'pg'

export const templateName = 'holdfast_template'

/** The same server, another database. */
export function at(url: string, database: string): string {
  const moved = new URL(url)
  moved.pathname = `/${database}`
  return moved.href
}

/** Runs one statement on the server's maintenance database. */
export async function admin(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: at(url, 'postgres') })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
