import type { Context } from '../context.ts'
import { printable } from '../output/printable.ts'

/** One line of a terminal that says how far slow work has come; nothing at all elsewhere. */
export interface Progress {
  readonly show: (text: string) => void
  readonly clear: () => void
}

const eraseLine = '\r\u001b[2K'

export function createProgress({ stderr, isErrorTerminal, width }: Context): Progress {
  let isShown = false
  return {
    show(text) {
      if (!isErrorTerminal) return
      isShown = true
      stderr.write(`${eraseLine}${printable(text).slice(0, width - 1)}`)
    },
    clear() {
      if (isShown) stderr.write(eraseLine)
      isShown = false
    },
  }
}
