import type { Entropy } from '../../ports/entropy.ts'
import { makePassword } from './password.ts'
import { withClient } from './server-process.ts'

const programRole = 'holdfast_program'

/**
 * The role that the program runs as: it owns nothing and is no superuser. Its password is new with every start, and kept
 * nowhere. Gives the address for it.
 */
export async function ensureProgramRole(url: string, entropy: Entropy): Promise<string> {
  const password = makePassword(entropy)
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [programRole])
    if (rowCount === 0) await client.query(`create role ${programRole}`)
    await client.query(
      `alter role ${programRole} login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls
         password '${password}'`,
    )
  })
  const program = new URL(url)
  program.username = programRole
  program.password = password
  return program.href
}
