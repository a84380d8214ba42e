import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import { errorBody, errorText, exitCodeOf } from './index.ts'

const plain = { color: false, debug: false }

describe('errorText', () => {
  it('has message, cause and remedy, without a stack', () => {
    const refused = Object.assign(new Error('', { cause: new Error('postgres://u:hunter2@h/x') }), {
      code: 'ECONNREFUSED',
    })
    expect(errorText(new HoldfastError('E_JOB_UNKNOWN', { job: 9 }, refused), plain)).toBe(
      [
        'E_JOB_UNKNOWN No job 9 is known here.',
        '  because ECONNREFUSED',
        '  because postgres://u:[redacted]@h/x',
        '  hint List what is known with: holdfast jobs --all',
      ].join('\n'),
    )
  })

  it('adds the stack when asked, and colours when the terminal has them', () => {
    expect(errorText(new Error('odd'), { color: false, debug: true })).toContain('errors.test.ts')
    expect(errorText(new Error('odd'), { color: true, debug: false })).toContain('\u001b[31m')
  })

  it('ends on causes in a circle, and accepts a value that is no error', () => {
    const error = new Error('round')
    error.cause = error
    expect(errorText(error, plain).split('\n')).toHaveLength(6)
    expect(errorText('just words', plain)).toBe('error just words')
  })
})

describe('exitCodeOf', () => {
  it('comes from the table, and is 1 for an error that is not in the table', () => {
    expect(exitCodeOf(new HoldfastError('E_CONFIG_INVALID', { problems: [] }))).toBe(3)
    expect(exitCodeOf(new Error('odd'))).toBe(1)
  })
})

describe('errorBody', () => {
  it('carries code, message, hint and whether to try again', () => {
    expect(errorBody(new HoldfastError('E_JOB_UNKNOWN', { job: 9 }))).toEqual({
      status: 404,
      body: {
        error: {
          code: 'E_JOB_UNKNOWN',
          message: 'No job 9 is known here.',
          hint: 'List what is known with: holdfast jobs --all',
          retryable: false,
        },
      },
    })
  })

  it('does not show a client the text of an unknown error', () => {
    const { status, body } = errorBody(new Error('select * from secrets'))
    expect(status).toBe(500)
    expect(body.error.code).toBe('E_BUG')
    expect(JSON.stringify(body)).not.toContain('select')
  })
})
