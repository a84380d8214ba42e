import { describe, expect, it } from 'vitest'
import { growth, linearAtMost } from '../../../test/support/growth.ts'
import { redactBareTokens, redacted } from './index.ts'

const hex40 = '3f786850e387550fdab8'.repeat(2)

describe('forty hexadecimal digits in a log', () => {
  it.each([hex40, `got ${hex40}`, `{"sha1":"x"}\n${hex40}\ncommit y`, `export T=${hex40}`])(
    'hides them: %s',
    (text) => {
      expect(redactBareTokens(text)).toBe(text.replace(hex40, redacted))
    },
  )

  it.each([
    `commit ${hex40}`,
    `HEAD is now at ${hex40}`,
    `From https://git.example/acme/app\n * [new ref] ${hex40} -> pull/1`,
    `+${hex40}:refs/remotes/pull/12/merge`,
    `uses: actions/checkout@${hex40}`,
    `0123456789abcdef${hex40}`,
  ])('leaves them alone where the line calls them a commit or a sum: %s', (text) => {
    expect(redactBareTokens(text)).toBe(text)
  })

  it('costs no square of a line without an end', () => {
    expect(growth(`${hex40} `, 2 ** 19, redactBareTokens)).toBeLessThan(linearAtMost)
  })
})
