import type { Context } from '../context.ts'

/** A part of the terminal that is rewritten in place; outside a terminal nothing is overwritten. */
export interface Panel {
  show(text: string): void
}

export function createPanel({ stdout }: Pick<Context, 'stdout'>): Panel {
  let lines = 0
  return {
    show(text) {
      const back = lines === 0 ? '' : `\u001b[${lines}A\u001b[J`
      stdout.write(`${back}${text}\n`)
      lines = text.split('\n').length
    },
  }
}
