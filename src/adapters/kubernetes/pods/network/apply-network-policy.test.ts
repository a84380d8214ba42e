import { describe, expect, it } from 'vitest'
import { status } from '../../client/testing/api-server.ts'
import { bench } from '../../client/testing/bench.ts'
import { applyNetworkPolicy } from '../index.ts'

const never = new AbortController().signal

async function applied(answer?: [code: number, word: string, message: string]) {
  const { api, cluster, log } = await bench()
  if (answer !== undefined) api.failNext(1, (_, response) => void status(response, ...answer))
  await applyNetworkPolicy({ writer: cluster.writer, namespace: 'ci', log }, never)
  return { requests: api.requests, lines: log.lines }
}

describe('the network policy of the runners', () => {
  it('is applied under our name, and takes nothing over from others', async () => {
    const { requests, lines } = await applied()
    expect(requests).toHaveLength(1)
    const [{ method, path, query, body }] = requests as [(typeof requests)[0]]
    expect([method, path]).toEqual([
      'PATCH',
      '/apis/networking.k8s.io/v1/namespaces/ci/networkpolicies/holdfast-runners',
    ])
    expect([query.get('fieldManager'), query.get('force')]).toEqual(['holdfast', 'false'])
    expect(body).toMatchObject({ kind: 'NetworkPolicy', spec: { ingress: [] } })
    expect(lines).toEqual([])
  })

  it('that we may not write is a warning that names the missing rights', async () => {
    const { lines } = await applied([403, 'Forbidden', 'networkpolicies is forbidden'])
    expect(lines).toEqual([expect.stringMatching(/^warn .*create and patch on networkpolicies/)])
  })

  it('that another field manager owns is left as it is, with a warning', async () => {
    const { lines } = await applied([409, 'Conflict', 'conflict with "kubectl": .spec.egress'])
    expect(lines).toEqual([expect.stringMatching(/^warn .*left as another made it/)])
  })

  it('that is refused for another reason is a warning as well', async () => {
    const { lines } = await applied([422, 'Invalid', 'spec is invalid'])
    expect(lines).toEqual([expect.stringMatching(/^warn .*could not be applied/)])
  })
})
