import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import { createLog, type LogOptions } from './index.ts'

const podToken = `ghs_${'Z9y8X7w6V5'.repeat(4)}`

describe('the log', () => {
  it('writes JSON lines with time, level, fields and message where no terminal reads', () => {
    const { log, lines } = open({})
    log.info({ job: 7 }, 'claimed')
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: '1970-01-01T00:00:01.000Z',
      job: 7,
      message: 'claimed',
    })
    expect(lines[0]).toMatch(/\n$/)
  })

  it('is pretty on a terminal, unless the format is set', () => {
    const terminal = open({ isTTY: true })
    terminal.log.info({ job: 7 }, 'claimed')
    expect(terminal.lines.join('')).toMatch(/INFO.*claimed.*\{"job":7\}/)
    const json = open({ isTTY: true, format: 'json' })
    json.log.info({}, 'claimed')
    expect(json.lines[0]).toMatch(/^\{/)
    const piped = open({ format: 'pretty' })
    piped.log.info({}, 'claimed')
    expect(piped.lines.join('')).toMatch(/INFO: claimed/)
  })

  it('has colours on a terminal that takes them, and says in which zone its times are', () => {
    const [colored, plain] = [open({ isTTY: true }), open({ isTTY: true, color: false })]
    for (const { log } of [colored, plain]) log.info({}, 'claimed')
    expect(colored.lines.join('')).toContain('\u001b[')
    expect(plain.lines.join('')).not.toContain('\u001b[')
    expect(plain.lines.join('')).toMatch(/^\[\d\d:\d\d:\d\dZ\] INFO/)
  })

  it('writes nothing below its level, and does not even look at it', () => {
    const { log, lines } = open({ level: 'warn' })
    const untouchable = Object.defineProperty({}, 'x', { enumerable: true, get: () => lines.push('looked') })
    log.info(untouchable, 'small')
    log.debug(untouchable, 'smaller')
    log.warn({}, 'seen')
    log.error({}, 'seen')
    expect(lines).toHaveLength(2)
  })

  it('writes secrets neither from fields, nor messages, nor children, nor errors', () => {
    for (const format of ['json', 'pretty'] as const) {
      const { log, lines } = open({ format })
      const cause = new Error(`refused ${podToken}`)
      const child = log.child({ password: 'hunter2-hunter2', url: 'postgres://u:hunter2-hunter2@h/x' })
      child.error(
        { jit: 'hunter2-hunter2', err: new HoldfastError('E_BUG', { what: podToken }, cause) },
        `sent ${podToken}`,
      )
      const text = lines.join('')
      expect(text).toContain('[redacted]')
      expect(text).not.toMatch(/hunter2|ghs_/)
    }
  })

  it('keeps the fields of an error', () => {
    const { log, lines } = open({})
    log.error({ err: new HoldfastError('E_JOB_UNKNOWN', { job: 9 }, new Error('no row')) }, 'failed')
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
      name: 'HoldfastError',
      code: 'E_JOB_UNKNOWN',
      message: 'No job 9 is known here.',
      cause: { message: 'no row' },
    })
  })

  it('survives fields that cannot be written', () => {
    const { log, lines } = open({})
    const circle: Record<string, unknown> = { big: 10n }
    circle.self = circle
    log.info({ circle, huge: 'x'.repeat(10_000_000) }, 'odd')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'odd', circle: { big: '10' } })
    expect(lines[0]?.length).toBeLessThan(100_000)
  })
})

function open({
  isTTY = false,
  level = 'info',
  format = 'auto',
  color = true,
}: Partial<LogOptions> & { readonly isTTY?: boolean }) {
  const lines: string[] = []
  const stream = { isTTY, write: (line: string) => void lines.push(line) }
  return { lines, log: createLog({ level, format, color, stream, clock: { now: () => 1000 } }) }
}
