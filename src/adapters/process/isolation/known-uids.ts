import { readFile } from 'node:fs/promises'
import type { SharedUser } from './types.ts'

const passwd = '/etc/passwd'

/** Users with this prefix were created for runners, so that programs which look up a user name find one. */
const ours = 'holdfast-'

/** Numbers below are of the system and its services, and the last is everybody's who is nobody. */
const uidMin = 1_000
const nobody = 65_534

/** Numbers that belong to users of this machine: a runner must not become one of them. */
export async function knownUids(file = passwd): Promise<ReadonlySet<number>> {
  const users = await usersIn(file)
  return new Set(users.filter(({ name }) => !name.startsWith(ours)).map(({ uid }) => uid))
}

/** The user of this machine that all runners are to be, by its name; returns the reason where it cannot be. */
export async function findSharedUser(name: string, file = passwd): Promise<SharedUser | string> {
  const user = (await usersIn(file)).find((each) => each.name === name)
  if (user === undefined) return `runners.runAs: there is no user ${name} in ${file}`
  if (user.uid < uidMin || user.uid === nobody)
    return `runners.runAs: user ${name} has the number ${user.uid}, which is of the system or its services`
  return user
}

async function usersIn(file: string): Promise<readonly SharedUser[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split(':'))
  return lines.flatMap(([name = '', , uid, gid]) =>
    name === '' ? [] : [{ name, uid: Number(uid), gid: Number(gid) }],
  )
}
