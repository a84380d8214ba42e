import { describe, expect, it } from 'vitest'
import { durationMsIn } from './duration.ts'

describe("a duration in Go's words", () => {
  it.each([
    ['1h0m0s', 3_600_000],
    ['10m30s', 630_000],
    ['1.5s', 1_500],
    ['250ms', 250],
  ])('%s is read', (text, ms) => {
    expect(durationMsIn(text)).toBe(ms)
  })

  it.each(['', '60', 'h', '1h ', '1d', '-1h', 'PT1H'])('%j is none', (text) => {
    expect(durationMsIn(text)).toBeNull()
  })
})
