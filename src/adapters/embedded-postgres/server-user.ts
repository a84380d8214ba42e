import { stat } from 'node:fs/promises'
import { HoldfastError } from '../../domain/errors/index.ts'
import { systemCodeOf } from '../../domain/reason.ts'
import type { Log } from '../../ports/log.ts'
import { type Account, run } from './run.ts'

const preferredName = 'postgres'
const lastResortName = 'nobody'

/**
 * Under whom the server runs: nobody else (undefined) when we are a normal user; another user when we are
 * root, because Postgres refuses to run as root. A folder that exists keeps the owner that it has.
 */
export async function serverUser(dataFolder: string, log: Log): Promise<Account | undefined> {
  if (process.geteuid?.() !== 0) return undefined
  return (
    (await ownerOf(dataFolder)) ??
    (await lookUp(preferredName)) ??
    (await create(preferredName, log)) ??
    (await fallBack(log))
  )
}

async function ownerOf(folder: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(folder)
    return uid === 0 ? undefined : { uid, gid, name: `uid ${uid}` }
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function lookUp(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
  if (uid.code !== 0 || gid.code !== 0) return undefined
  const account = { uid: Number(uid.output), gid: Number(gid.output), name }
  return account.uid === 0 || !Number.isInteger(account.uid) ? undefined : account
}

async function create(name: string, log: Log): Promise<Account | undefined> {
  const ways = [
    ['useradd', '--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', name],
    ['adduser', '-S', '-D', '-H', name], // busybox
  ] as const
  for (const [file, ...args] of ways) {
    await run(file, args)
    const made = await lookUp(name)
    if (made === undefined) continue
    log.info({ user: name, uid: made.uid }, 'created a system user for the embedded Postgres')
    return made
  }
  return undefined
}

async function fallBack(log: Log): Promise<Account> {
  const account = await lookUp(lastResortName)
  if (account === undefined) {
    const reason = `"${preferredName}" does not exist and could not be created, "${lastResortName}" does not exist`
    throw new HoldfastError('E_EMBEDDED_USER', { reason })
  }
  log.warn({ user: account.name }, `the embedded Postgres runs as ${account.name}: no user could be created`)
  return account
}
