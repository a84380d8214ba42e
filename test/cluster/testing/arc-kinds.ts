import type { Cluster } from '../cluster.ts'
import { until } from '../machine/until.ts'

const group = 'actions.github.com'
const version = 'v1alpha1'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const servedWithinMs = 30_000
const alreadyThere = 409

/** ARC's kinds, owners first. */
const arcKinds = {
  autoscalingrunnersets: 'AutoscalingRunnerSet',
  autoscalinglisteners: 'AutoscalingListener',
  ephemeralrunnersets: 'EphemeralRunnerSet',
  ephemeralrunners: 'EphemeralRunner',
} as const
type ArcPlural = keyof typeof arcKinds
export const arcPlurals = Object.keys(arcKinds) as readonly ArcPlural[]

export const arcVersion = `${group}/${version}`
export const arcApi = `/apis/${arcVersion}`

/** Teaches a cluster ARC's kinds, with any fields: no controller of ARC is there that would want others. */
export async function declareArc({ api }: Cluster): Promise<void> {
  for (const plural of arcPlurals) {
    const answer = await api.request('POST', definitions, definition(plural))
    if (answer.status !== 201 && answer.status !== alreadyThere) throw new Error(`${plural}: ${answer.text}`)
  }
  await until('the kinds of ARC are served', servedWithinMs, async () => {
    const answers = await Promise.all(arcPlurals.map((plural) => api.request('GET', `${arcApi}/${plural}`)))
    return answers.every(({ status }) => status === 200)
  })
}

export async function forgetArc({ api }: Cluster): Promise<void> {
  for (const plural of arcPlurals) await api.request('DELETE', `${definitions}/${plural}.${group}`)
}

function definition(plural: ArcPlural): object {
  const kind = arcKinds[plural]
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  }
}
