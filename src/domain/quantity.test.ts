import { describe, expect, it } from 'vitest'
import { parseQuantity, quantityText } from './quantity.ts'

describe('quantityText', () => {
  it.each([
    ['memory', 8 * 2 ** 30, '8Gi'],
    ['memory', 1.5 * 2 ** 30, '1536Mi'],
    ['ephemeral-storage', 1000, '1000'],
    ['cpu', 0.5, '500m'],
    ['cpu', 2, '2'],
    ['pods', 1024, '1024'],
    ['memory', 0, '0'],
    ['cpu', 0.0001234, '0.0001234'],
  ])('writes %s %d as %s, which is read as the same amount', (resource, amount, text) => {
    expect(quantityText(resource, amount)).toBe(text)
    expect(parseQuantity(text)).toBe(amount)
  })
})
