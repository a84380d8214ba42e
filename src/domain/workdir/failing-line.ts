import { isPlainName } from './host.ts'

/** The line by which a job failed on what an earlier one left in the work folder. */
export interface FailingLine {
  readonly kind: 'not-removable' | 'locked'
  /** The line, without its time stamp. */
  readonly text: string
  readonly path: string
}

/** The names that a runner writes of itself at the start of a job's log; null: not in this part of it. */
export interface LogOrigin {
  readonly runnerName: string | null
  readonly machineName: string | null
}

/** A path in a log is no longer than a path of the kernel. */
const pathForm = `'?(/[^'\\n]{1,4096}?)'?`
const forms: readonly (readonly [FailingLine['kind'], RegExp])[] = [
  [
    'not-removable',
    new RegExp(
      `E(?:ACCES|PERM): (?:permission denied|operation not permitted), (?:unlink|rmdir|scandir|lstat|open|mkdir|rename|copyfile) ${pathForm}$`,
    ),
  ],
  [
    'not-removable',
    new RegExp(
      `(?:unable to unlink|failed to remove|cannot remove)(?: old)? ${pathForm}: (?:Permission denied|Operation not permitted)`,
    ),
  ],
  ['locked', new RegExp(`Unable to create ${pathForm}: File exists`, 'i')],
  ['locked', new RegExp(`could not lock (?:config file|ref)? ?${pathForm}: File exists`, 'i')],
]

const stamp = /^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]{8,20}Z /
const lineCharsMax = 8_192

/** The first line of a log that fits, since what follows is its consequence; null: none. A job writes its log: this is a lead, no proof. */
export function failingLineOf(lines: readonly string[]): FailingLine | null {
  for (const line of lines) {
    if (line.length > lineCharsMax) continue
    const text = line.replace(stamp, '').trim()
    for (const [kind, form] of forms) {
      const path = form.exec(text)?.[1]
      if (path !== undefined && isBelowSomething(path)) return { kind, text, path }
    }
  }
  return null
}

export function originOf(lines: readonly string[]): LogOrigin {
  return { runnerName: named('Runner name', lines), machineName: named('Machine name', lines) }
}

function named(what: string, lines: readonly string[]): string | null {
  const form = new RegExp(`^${what}: '?([^']{1,128}?)'?$`)
  for (const line of lines) {
    const name = line.length > lineCharsMax ? undefined : form.exec(line.replace(stamp, '').trim())?.[1]
    if (name !== undefined) return isPlainName(name) ? name : null
  }
  return null
}

/** A path that leaves its folder again leads nowhere that was declared. */
function isBelowSomething(path: string): boolean {
  return !path.split('/').some((name) => name === '..' || name === '.')
}
