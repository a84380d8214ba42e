import { expect, it } from 'vitest'
import type { ApiRequest } from './request.ts'
import { withRequestCount } from './with-request-count.ts'

it.each<[ApiRequest, string]>([
  [{ method: 'POST', path: '/api/v1/namespaces/ci/pods' }, 'create pods'],
  [{ method: 'DELETE', path: '/api/v1/namespaces/ci/pods/a' }, 'delete pods'],
  [{ method: 'GET', path: '/api/v1/namespaces/ci/pods/a/log' }, 'log pods'],
  [{ method: 'GET', path: '/api/v1/pods', query: { watch: true } }, 'watch pods'],
  [{ method: 'GET', path: '/api/v1/namespaces/ci' }, 'read namespaces'],
  [
    { method: 'PATCH', path: '/apis/holdfast.dev/v1alpha1/namespaces/ci/runnerpools/a/status' },
    'patch runnerpools',
  ],
  [{ method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews' }, 'create tokenreviews'],
])('counts %j as %s', async (request, expected) => {
  const seen: string[] = []
  const transport = withRequestCount(
    { send: async () => ({ body: {}, byteCount: 2 }), stream: () => Promise.reject(new Error('no stream')) },
    { count: (_, { verb, kind }: Record<string, string>) => void seen.push(`${verb} ${kind}`) },
  )
  await transport.send(request, new AbortController().signal)
  expect(seen).toEqual([expected])
})
