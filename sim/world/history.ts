import type { Instant } from '../../src/domain/time.ts'

/** The events of a history as text, so that a violation can be read like a log. */
export interface History {
  note(who: string, what: string): void
  /** The newest lines, oldest first. */
  text(linesMax: number): string
  /** Every line: equal for equal seeds. */
  digest(): string
}

/** A history that is longer has lost its beginning; none has come near it. */
const linesKept = 20_000

export function createHistory(now: () => Instant): History {
  const lines: string[] = []
  const begun = now()
  return {
    note(who, what) {
      if (lines.length >= linesKept) lines.shift()
      lines.push(`${((now() - begun) / 1000).toFixed(3).padStart(10)} s  ${who.padEnd(12)} ${what}`)
    },
    text: (linesMax) => lines.slice(-linesMax).join('\n'),
    digest: () => lines.join('\n'),
  }
}
