import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubeconfig } from '../../../adapters/kubernetes/client/testing/kubeconfig-file.ts'
import type { SnapshotOrder } from '../../../cli/index.ts'
import { loadConfig } from '../../../platform/config/index.ts'
import { collect } from './collect.ts'
import { readSnapshotFile, writeSnapshotFile } from './files.ts'

const never = new AbortController().signal

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-collect-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function collectFrom(given: Partial<SnapshotOrder>) {
  const { config } = loadConfig({
    env: { HOLDFAST_DATA_DIR: join(folder, 'data') },
    flags: {},
    readFile: () => undefined,
    isRoot: false,
  })
  const order: SnapshotOrder = {
    scope: { namespaces: null, labels: null, nodes: null },
    ownPools: null,
    kubeconfig: '/nowhere/config',
    context: undefined,
    files: { runners: [], jobs: [] },
    ...given,
  }
  return collect(config, order, never)
}

/** The output of `gh api` for an organisation with one runner. */
function runnersFile(): string {
  const file = join(folder, 'runners.json')
  const labels = [{ id: 1, name: 'linux', type: 'custom' }]
  const runner = { id: 7, name: 'linux-1', os: 'linux', status: 'online', busy: true, labels }
  writeFileSync(file, JSON.stringify({ total_count: 1, runners: [runner] }))
  return file
}

describe('the facts of a fleet', () => {
  it('come from the cluster of a kubeconfig and from files, and reach the file without secrets', async () => {
    const { api, file: config } = await kubeconfig()
    const metadata = { namespace: 'arc', creationTimestamp: '2026-06-01T01:00:00Z' }
    api.truth.put('/apis/actions.github.com/v1alpha1/autoscalingrunnersets', 'linux', {
      metadata,
      spec: { githubConfigUrl: 'https://github.com/acme', githubConfigSecret: 'github-app' },
    })
    api.truth.put('/api/v1/namespaces/arc/secrets', 'github-app', {
      metadata,
      type: 'Opaque',
      data: { github_token: btoa('swordfish') },
    })
    const place = join(folder, 'a.gz')
    const { snapshot } = await writeSnapshotFile(place, {
      collect: () =>
        collectFrom({
          kubeconfig: config,
          context: 'here',
          files: { runners: [{ scope: null, path: runnersFile() }], jobs: [] },
        }),
      isReplacing: false,
    })
    expect(await readSnapshotFile(place)).toEqual(snapshot)
    expect(snapshot).toMatchObject({
      clusterName: 'here',
      hashScope: expect.stringMatching(/^data-folder-/),
      cluster: {
        scaleSets: { items: [{ namespace: 'arc', name: 'linux' }] },
        secrets: {
          items: [{ keys: [{ name: 'github_token', hash: expect.stringMatching(/^[0-9a-f]{32}$/) }] }],
        },
      },
      forge: { runners: { source: 'file', items: [{ scope: 'acme', name: 'linux-1', isBusy: true }] } },
    })
    const stored = gunzipSync(readFileSync(place)).toString()
    for (const secret of ['swordfish', btoa('swordfish')]) expect(stored).not.toContain(secret)
    expect(snapshot.cost.requests).toBe(api.requests.length)
  })

  it('are those of files alone where no cluster can be reached, and say why', async () => {
    const { cluster, forge } = await collectFrom({
      files: { runners: [{ scope: 'acme', path: runnersFile() }], jobs: [] },
    })
    expect(forge.runners.items).toHaveLength(1)
    expect(cluster.pods.unread).toMatchObject([{ why: expect.stringContaining('/nowhere/config') }])
  })

  it('are an error where there is neither', async () => {
    await expect(collectFrom({})).rejects.toMatchObject({ code: 'E_CLUSTER_CONFIG' })
    const files = { runners: [{ scope: null, path: join(folder, 'none.json') }], jobs: [] }
    await expect(collectFrom({ files })).rejects.toMatchObject({ code: 'E_FORGE_FILE' })
  })
})
