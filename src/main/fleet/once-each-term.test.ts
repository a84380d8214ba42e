import { expect, it } from 'vitest'
import type { Leadership, Term } from '../../ports/leadership.ts'
import { onceEachTerm } from './once-each-term.ts'

it('acts once in each term and ends with the signal, in a term and between two', async () => {
  const { leadership, begin, end } = elections()
  for (const endsInTerm of [true, false]) {
    const stopping = new AbortController()
    const acted: string[] = []
    const act = async ({ token }: Term) => void acted.push(token)
    const running = onceEachTerm(leadership, act, stopping.signal)
    begin('1')
    await expect.poll(() => acted).toEqual(['1'])
    end()
    begin('2')
    await expect.poll(() => acted).toEqual(['1', '2'])
    if (!endsInTerm) end()
    stopping.abort()
    await running
    expect(acted).toEqual(['1', '2'])
    end()
  }
})

it('does not act where the signal comes before a term', async () => {
  const acted: string[] = []
  const act = async ({ token }: Term) => void acted.push(token)
  await onceEachTerm(elections().leadership, act, AbortSignal.abort())
  expect(acted).toEqual([])
})

function elections() {
  const listeners = new Set<(term: Term | null) => void>()
  let running: { readonly term: Term; readonly over: AbortController } | null = null
  const notify = () => {
    for (const listener of [...listeners]) listener(running?.term ?? null)
  }
  const leadership: Leadership = {
    term: () => running?.term ?? null,
    holder: () => null,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    leadership,
    begin(token: string) {
      const over = new AbortController()
      running = {
        over,
        term: { holder: 'us', token, wonAt: 0, closing: null, signal: over.signal, check() {} },
      }
      notify()
    },
    end() {
      const before = running
      running = null
      before?.over.abort()
      notify()
    },
  }
}
