import type { ContainerStateFact } from '../../snapshot/index.ts'

const linesMax = 40
const charsMax = 160

/** The lines that a script of ours wrote, as `name=value`; an image may write anything, so that they are bounded, and never proof. */
export interface ScriptAnswer {
  readonly lines: readonly string[]
  /** The first value of a name. */
  value(name: string): string | null
  values(name: string): readonly string[]
}

export function answerOf({ message }: Pick<ContainerStateFact, 'message'>): ScriptAnswer {
  const lines = (message ?? '')
    .split('\n')
    .map((line) => line.trim().slice(0, charsMax))
    .filter((line) => /^[A-Za-z_-]{1,40}=/.test(line))
    .slice(0, linesMax)
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))
  return { lines, values, value: (name) => values(name)[0] ?? null }
}

/** A script that did not come to its end: why, in the words of the runtime. */
export function failureOf({ exitCode, reason, message }: ContainerStateFact): string {
  const words = (message ?? '').slice(0, charsMax)
  return `The script did not run in the lane's image (${[reason, `exit code ${exitCode}`, words].filter(Boolean).join(', ')}).`
}
