import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { kubeconfig } from '../../src/adapters/kubernetes/client/testing/kubeconfig-file.ts'
import type { RemedyOrder } from '../../src/cli/index.ts'
import { loadConfig } from '../../src/platform/config/index.ts'
import { answering, routed } from '../contract/github/answering.ts'
import { putArcState } from './arc-server.ts'

const arc = '/apis/actions.github.com/v1alpha1/namespaces/arc-runners'
const scaleSetsPath = `${arc}/autoscalingrunnersets`
export const generationsPath = `${arc}/ephemeralrunnersets`
export const runnersPath = `${arc}/ephemeralrunners`
/** The forge's credential; it must be nowhere but in its requests. */
export const forgeToken = 'ghp_0123456789abcdefghij0123456789abcdef'

type Env = Readonly<Record<string, string>>
type Routes = Parameters<typeof routed>[0]

/** For tests: a state of ARC's real controller on a scripted API server, a forge that lists its runners, and a data folder. */
export async function openGround(state: string, routes: Routes = {}, env: Env = {}) {
  const { api, file } = await kubeconfig()
  putArcState(api.truth, state)
  const busy = new Set<string>()
  const isListed = { value: true }
  const url = await answering(
    routed({
      '/api/v3/orgs/bench/actions/runners': (request) => {
        const name = new URL(request.url ?? '', 'http://x').searchParams.get('name') ?? ''
        const isThere = isListed.value && api.truth.get(runnersPath, name) !== undefined
        const runner = { id: 1, name, os: 'linux', status: 'online', busy: busy.has(name), labels: [] }
        return [200, { total_count: isThere ? 1 : 0, runners: isThere ? [runner] : [] }]
      },
      ...routes,
    }),
  )
  // A set names its forge, and only that one is asked.
  const [scaleSet] = api.truth.objects(scaleSetsPath)
  if (scaleSet === undefined) throw new Error('the state has a scale set')
  const spec = { ...(scaleSet.spec as object), githubConfigUrl: `${url}/bench` }
  api.truth.put(scaleSetsPath, scaleSet.metadata.name, { ...scaleSet, spec })
  const dataDir = mkdtempSync(join(tmpdir(), 'holdfast-remedy-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const configOf = (given: Env) =>
    loadConfig({
      env: { HOLDFAST_DATA_DIR: dataDir, ...given },
      flags: {},
      readFile: () => undefined,
      isRoot: false,
    }).config
  const config = configOf({
    HOLDFAST_FORGE_KIND: 'github',
    HOLDFAST_FORGE_URL: url,
    HOLDFAST_FORGE_TOKEN: forgeToken,
    HOLDFAST_FORGE_WEBHOOK_SECRETS: 'x'.repeat(32),
    HOLDFAST_FLEET_KUBECONFIG: file,
    ...env,
  })
  const order: RemedyOrder = {
    apply: null,
    isUnattended: false,
    controllerNamespace: 'arc-systems',
    kubeconfig: file,
    context: undefined,
  }
  const left = () => api.truth.objects(runnersPath).map(({ metadata }) => metadata.name)
  /** Everything that was written into the data folder. */
  const stored = () =>
    readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
      .join('')
  return { api, config, configOf, dataDir, order, left, busy, isListed, stored }
}

export const demoSet = { sets: [{ namespace: 'arc-runners', name: 'arc-demo' }], namespaces: null }
