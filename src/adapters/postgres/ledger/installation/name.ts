import { type Database, type Db, sql } from '../../connection/index.ts'

/** A forge as the configuration has it. */
export interface ForgeServer {
  /** The name of the first server of its kind in a ledger. */
  readonly kind: string
  /** Distinguishes it from others of its kind, and is the name of every further one. */
  readonly address: string
  /** The name that the operator chose, which counts more than the address. */
  readonly name?: string | undefined
}

export interface NamedInstallation {
  readonly name: string
  /** The server is here under this name for the first time. */
  readonly isNew: boolean
}

/** Under which name the ledger has a server's jobs; the same for all processes, and from the first start on. */
export function nameInstallation(database: Database, server: ForgeServer): Promise<NamedInstallation> {
  return database.transaction(async (tx) => {
    await tx.query(sql`lock table installation_addresses in share row exclusive mode`)
    const known = await nameOf(tx, server.address)
    const wanted = server.name ?? known
    if (wanted !== null && wanted === known) return { name: known, isNew: false }
    const name = wanted ?? ((await isFree(tx, server.kind)) ? server.kind : server.address)
    await tx.query(sql`insert into installations (name) values (${name}) on conflict do nothing`)
    // A name stands for one server: on the operator's order it moves from the one that had it.
    await tx.query(
      sql`delete from installation_addresses where name = ${name} or address = ${server.address}`,
    )
    await tx.query(
      sql`insert into installation_addresses (address, name) values (${server.address}, ${name})`,
    )
    return { name, isNew: true }
  })
}

async function nameOf(tx: Db, address: string): Promise<string | null> {
  const { rows } = await tx.query<{ name: string }>(
    sql`select name from installation_addresses where address = ${address}`,
  )
  return rows[0]?.name ?? null
}

async function isFree(tx: Db, name: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql`select from installation_addresses where name = ${name}`)
  return rowCount === 0
}
