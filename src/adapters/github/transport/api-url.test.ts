import { describe, expect, it } from 'vitest'
import { apiUrl } from './api-url.ts'

describe('the address of the API', () => {
  const addresses = [
    ['https://github.com', 'https://api.github.com'],
    ['https://github.com/', 'https://api.github.com'],
    ['https://github.com/acme', 'https://api.github.com'],
    ['http://github.com', 'https://api.github.com'],
    ['https://www.github.com', 'https://api.github.com'],
    ['http://github.localhost:3000', 'http://api.github.localhost:3000'],
    ['https://acme.ghe.com/', 'https://api.acme.ghe.com'],
    ['https://api.github.com/', 'https://api.github.com'],
    ['https://api.acme.ghe.com', 'https://api.acme.ghe.com'],
    ['https://github.acme.example', 'https://github.acme.example/api/v3'],
    ['https://github.acme.example:8443/', 'https://github.acme.example:8443/api/v3'],
    ['https://github.acme.example/api/v3/', 'https://github.acme.example/api/v3'],
    ['https://gateway.acme.example/github', 'https://gateway.acme.example/github'],
    ['https://notghe.com', 'https://notghe.com/api/v3'],
    ['http://127.0.0.1:8481', 'http://127.0.0.1:8481/api/v3'],
  ] as const
  for (const [given, expected] of addresses) {
    it(`is ${expected} for ${given}`, () => {
      expect(apiUrl(given)).toBe(expected)
    })
  }
})
