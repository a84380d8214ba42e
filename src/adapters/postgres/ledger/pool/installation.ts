import { type Db, sql } from '../../connection/index.ts'

/** Installations that are known to be in the ledger; there are few, and they are never removed. */
export type KnownInstallations = Set<string>

/** A row for the installation that a job or a delivery names. */
export async function ensureInstallation(db: Db, name: string, known: KnownInstallations): Promise<void> {
  if (known.has(name)) return
  await db.query(sql`insert into installations (name) values (${name}) on conflict do nothing`)
  known.add(name)
}
