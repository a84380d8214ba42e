import { adapterSites } from './adapter-sites.ts'

// Above all others: what is imported after it is counted.

import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, it } from 'vitest'
import { forgeContract } from '../forge/index.ts'
import { overHttp } from '../forge/over-http.ts'
import { callSitesWritten } from './call-sites.ts'
import { ADAPTER, watchCalls } from './watch.ts'

const adapterFolder = fileURLToPath(new URL('../../../src/adapters/github', import.meta.url))
let origin = ''
const watch = watchCalls(() => origin)

afterEach(() => {
  expect(watch.takeDifferences()).toEqual([])
})
afterAll(() => {
  watch[Symbol.dispose]()
  adapterSites.close()
})

forgeContract("the GitHub adapter over HTTP, judged by GitHub's description", async () => {
  const under = await overHttp('simulated')
  origin = new URL(under.url).origin
  return under
})

it('the contract reached every call to GitHub that stands in the adapter', () => {
  const sites = adapterSites.sites()
  expect(sites.length).toBe(callSitesWritten(adapterFolder))
  expect(sites.length).toBeGreaterThanOrEqual(10)
  expect(sites.filter(({ isReached }) => !isReached).map(({ where }) => where)).toEqual([])
})

it('every call that the adapter made is one that GitHub describes', () => {
  const made = watch.calls.filter(({ userAgent }) => userAgent === ADAPTER)
  expect(made.length).toBeGreaterThan(50)
  expect(made.filter(({ operation }) => operation === null)).toEqual([])
})
