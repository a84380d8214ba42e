import { readFile } from 'node:fs/promises'

/** Users that somebody made for runners, so that programs which ask for a name find one. */
const OURS = 'holdfast-'

/** Numbers that belong to users of this machine: a runner must not become one of them. */
export async function knownUids(file = '/etc/passwd'): Promise<ReadonlySet<number>> {
  const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split(':'))
  return new Set(
    lines.filter(([name = '']) => name !== '' && !name.startsWith(OURS)).map(([, , uid]) => Number(uid)),
  )
}
