import { expect } from 'vitest'
import { bench, podPath, runningView } from './bench.ts'

const never = new AbortController().signal

/** For tests: three pods and a view of them that is whole and watches, until the test ends. */
export async function followed(options: Parameters<typeof runningView>[1] = {}) {
  const { api, ...rest } = await bench()
  for (const name of ['a', 'b', 'c']) api.truth.put(podPath, name, { metadata: { namespace: 'ci' } })
  const view = runningView(rest, options)
  const changes: string[] = []
  view.onChange((change) => changes.push(`${change.kind} ${change.key}`))
  await view.whole(never)
  await expect.poll(() => api.watches.size).toBe(1)
  const put = (name: string, note: unknown) =>
    api.truth.put(podPath, name, { metadata: { namespace: 'ci' }, note })
  const names = () =>
    view
      .list()
      .value.map(({ metadata }) => metadata.name)
      .sort()
  const noteOf = (name: string) => view.get(`ci/${name}`).value?.note
  return { api, view, changes, put, names, noteOf, ...rest }
}
