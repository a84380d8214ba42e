import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answering, routed } from '../../../../test/contract/github/answering.ts'
import { loadConfig } from '../../../platform/config/index.ts'
import { createBase } from '../../base.ts'
import { forgeReader } from './forge-reader.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-forge-reader-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function readerOf(env: Readonly<Record<string, string>>) {
  const { config } = loadConfig({
    env: { HOLDFAST_DATA_DIR: join(folder, 'data'), ...env },
    flags: {},
    readFile: () => undefined,
    isRoot: false,
  })
  const order = {
    scope: { namespaces: null, labels: null, nodes: null },
    ownPools: null,
    kubeconfig: undefined,
    context: undefined,
    files: { runners: [], jobs: [] },
  }
  return forgeReader(order, createBase(config))
}

const asked = {
  runnerScopes: ['acme'],
  isCoveredWanted: false,
  repositories: [],
  since: 0,
  runs: [],
  jobs: [],
  callsMax: 10,
}
const never = new AbortController().signal
const secrets = { HOLDFAST_FORGE_TOKEN: 'ghp_0123456789', HOLDFAST_FORGE_WEBHOOK_SECRETS: 'x'.repeat(32) }

describe('the forge of the settings', () => {
  it('is read with its credential, a GitHub Enterprise Server below the address of its site', async () => {
    const url = await answering(
      routed({
        '/api/v3/rate_limit': [200, { resources: { core: { limit: 5_000, remaining: 9, reset: 1 } } }],
        '/api/v3/orgs/acme/actions/runners': [200, { total_count: 0, runners: [] }],
      }),
    )
    const reader = await readerOf({
      HOLDFAST_FORGE_KIND: 'github',
      HOLDFAST_FORGE_URL: url,
      ...secrets,
    })
    expect(reader?.host).toBe(new URL(url).host)
    expect(await reader?.readForgeFacts(asked, never)).toMatchObject({
      requests: 2,
      facts: {
        runners: { items: [], unread: [] },
        budgets: { items: [{ kind: 'personal-token', remaining: 9 }] },
      },
    })
  })

  it('is read where it is Gitea', async () => {
    const runner = { id: 7, name: 'r-1', status: 'online', labels: [{ name: 'linux' }] }
    const url = await answering(
      routed({
        '/api/v1/orgs/acme/actions/runners': [200, { total_count: 1, runners: [runner] }],
        '/api/v1/orgs/acme/actions/jobs': [200, { total_count: 0, jobs: [] }],
      }),
    )
    const reader = await readerOf({ HOLDFAST_FORGE_KIND: 'gitea', HOLDFAST_FORGE_URL: url, ...secrets })
    expect(reader?.host).toBe(new URL(url).host)
    expect(await reader?.readForgeFacts(asked, never)).toMatchObject({
      requests: 2,
      facts: { runners: { items: [{ name: 'r-1' }], unread: [] } },
    })
  })

  it('is not read where the settings name none', async () => {
    expect(await readerOf({})).toBeNull()
  })
})
