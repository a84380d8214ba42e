/** The work of a job of these tests, which is written as a shell script, so that any runner could run it. */
export interface Deed {
  readonly takesMs: number
  /** `dies`: the runner is gone without a word. */
  readonly end: 'success' | 'failure' | 'dies'
}

const deadly = 'kill -9 $PPID'

export function scriptOf({ takesMs, end }: Deed): string {
  const last = { success: 'exit 0', failure: 'exit 3', dies: deadly }[end]
  return `sleep ${takesMs / 1_000}; ${last}`
}

export function deedOf(script: string): Deed {
  const [, seconds, last] = /^sleep ([\d.]+); (.*)$/.exec(script) ?? []
  if (seconds === undefined) throw new Error(`no script of these tests: ${script}`)
  const end = last === deadly ? 'dies' : last === 'exit 0' ? 'success' : 'failure'
  return { takesMs: Number(seconds) * 1_000, end }
}
