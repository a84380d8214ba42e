import { expect, it } from 'vitest'
import { isRepositoryName } from './index.ts'

it.each(['acme/web', 'A-b_c/.github', 'a/..b', '0/x.y.z'])('%s is the name of a repository', (name) => {
  expect(isRepositoryName(name)).toBe(true)
})

it.each([
  '../..',
  'acme/..',
  './web',
  'acme',
  'acme/web/x',
  '/web',
  'acme/',
  'a b/c',
  'a/b?c',
  'a/b%2f',
  `a/${'x'.repeat(101)}`,
])('%s is none', (name) => {
  expect(isRepositoryName(name)).toBe(false)
})
