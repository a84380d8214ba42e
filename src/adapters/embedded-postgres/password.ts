import { HoldfastError } from '../../domain/errors/index.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Binaries } from './binaries.ts'
import { readIfThere, writeDurably } from './files.ts'
import type { Layout } from './layout.ts'
import { nameForServer } from './reach.ts'
import { type Account, run } from './run.ts'

export const superuser = 'holdfast'
const passwordBytes = 24
const singleUserTimeoutMs = 120_000 // it may have to recover from a crash first

/** The password for a data folder that is about to be made: durable before the folder exists. */
export async function passwordForNew(layout: Layout, entropy: Entropy): Promise<string> {
  const existing = await readPassword(layout)
  if (existing !== undefined) return existing
  const password = makePassword(entropy)
  await writeDurably(layout.password, password)
  return password
}

/** The password of an existing data folder; where its file was lost, the server gets a new one, offline. */
export async function passwordForExisting(
  layout: Layout,
  binaries: Binaries,
  account: Account | undefined,
  entropy: Entropy,
): Promise<string> {
  const existing = await readPassword(layout)
  if (existing !== undefined) return existing
  const password = makePassword(entropy)
  const folder = await nameForServer(layout.data, account)
  const { code, output } = await run(binaries.postgres, ['--single', '-D', folder, 'postgres'], {
    account,
    cwd: layout.data,
    input: `alter role ${superuser} password '${password}'\n`,
    timeoutMs: singleUserTimeoutMs,
  })
  if (code !== 0 || / (ERROR|FATAL|PANIC): /.test(output)) {
    const lines = output.replaceAll(password, '***').trim().split('\n').slice(-10)
    throw new HoldfastError('E_EMBEDDED_FAILED', {
      step: 'set a new password',
      reason: `exit code ${code}`,
      lines,
    })
  }
  await writeDurably(layout.password, password)
  return password
}

async function readPassword(layout: Layout): Promise<string | undefined> {
  return (await readIfThere(layout.password))?.trim() || undefined
}

/** base64url: needs no quoting in SQL or in a URL. */
export function makePassword(entropy: Entropy): string {
  return Buffer.from(entropy.bytes(passwordBytes)).toString('base64url')
}
