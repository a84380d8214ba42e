import { createPrivateKey, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Cluster } from '../cluster.ts'

export interface TokenWords {
  readonly namespace?: string
  readonly audience?: string
  /** Which pod it is bound to; unset: none. */
  readonly pod?: { readonly name: string; readonly uid: string }
}

/** A real token of the service account `default`, as the kubelet would ask for it. */
export async function tokenOf(cluster: Cluster, words: TokenWords): Promise<string> {
  const { namespace = 'default', audience = 'holdfast', pod } = words
  const file = `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`
  const answer = await cluster.api.request('POST', file, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      audiences: [audience],
      expirationSeconds: 600,
      ...(pod && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...pod } }),
    },
  })
  if (answer.status !== 201) throw new Error(`token: ${answer.status} ${answer.text}`)
  return answer.body.status.token
}

/** The same token as if it had been issued so long ago, under the cluster's own signature. */
export async function tokenOfThePast(cluster: Cluster, token: string, agoSeconds: number): Promise<string> {
  const [head = '', payload = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  for (const time of ['exp', 'iat', 'nbf']) claims[time] -= agoSeconds
  const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const key = createPrivateKey(await readFile(path.join(cluster.place.certificates, 'sa.key')))
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}
