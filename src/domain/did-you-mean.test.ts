import { describe, expect, it } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

const known = ['port', 'host', 'databaseUrl', 'staleQueuedAfterMs']

describe('didYouMean', () => {
  it.each([
    ['prot', 'port'],
    ['Port', 'port'],
    ['pot', 'port'],
    ['databaseURI', 'databaseUrl'],
    ['databasUrl', 'databaseUrl'],
    ['staleQueueAfter', 'staleQueuedAfterMs'],
  ])('takes %s for %s', (name, meant) => {
    expect(didYouMean(name, known)).toBe(meant)
  })

  it.each(['verbose', 'x', '', 'port'.repeat(100)])('does not guess what %j should be', (name) => {
    expect(didYouMean(name, known)).toBeUndefined()
  })
})
