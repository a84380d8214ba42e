import type { Api } from './api.ts'
import { until } from './machine/until.ts'

const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'
const trial = '/api/v1/namespaces/default/pods?dryRun=All'
const knownWithinMs = 20_000

/** Makes a PriorityClass again, and resolves once pods may name it: admission knows classes from a watch of its own. */
export async function makePriorityClass(api: Api, name: string, value: number): Promise<void> {
  await api.request('DELETE', `${classes}/${name}`)
  const made = await api.request('POST', classes, { metadata: { name }, value })
  if (made.status >= 400) throw new Error(`POST ${classes}: ${made.status} ${made.text}`)
  const pod = {
    metadata: { generateName: 'trial-' },
    spec: { priorityClassName: name, containers: [{ name: 'trial', image: 'trial' }] },
  }
  await until(`pods may name the PriorityClass ${name}`, knownWithinMs, async () => {
    const { status } = await api.request('POST', trial, pod)
    return status < 400
  })
}
