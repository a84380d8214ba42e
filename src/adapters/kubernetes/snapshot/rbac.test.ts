import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { SeenRequest } from '../client/testing/api-server.ts'
import { ground } from './testing/ground.ts'

const file = new URL('../../../../deploy/audit-rbac.yaml', import.meta.url)

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

async function rolesIn(): Promise<Map<string, readonly string[]>> {
  const objects = parseAllDocuments(await readFile(file, 'utf8')).map((each) => each.toJS())
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole')
  return new Map(roles.map(({ metadata, rules }) => [metadata.name, (rules as Rule[]).flatMap(rightsOf)]))
}

function rightsOf({ apiGroups, resources, verbs }: Rule): string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} of "${group}"`)),
  )
}

/** The right that the API server asks for: a collection is listed, an object or a part of one is got. */
function rightFor({ path }: SeenRequest): string {
  const steps = path.split('/').slice(1)
  const group = steps[0] === 'apis' ? (steps[1] ?? '') : ''
  const below = steps.slice(steps[0] === 'apis' ? 3 : 2)
  const [resource, name, part] = below[0] === 'namespaces' && below.length > 2 ? below.slice(2) : below
  const full = part === undefined ? resource : `${resource}/${part}`
  return `${name === undefined ? 'list' : 'get'} ${full} of "${group}"`
}

describe('deploy/audit-rbac.yaml', () => {
  it('grants what a reading asks for, and no more', async () => {
    const { api, read } = await ground()
    await read()
    // The version is everybody's to read (system:public-info-viewer).
    const asked = api.requests.filter(({ path }) => path !== '/version').map(rightFor)
    const granted = [...(await rolesIn()).values()].flat()
    expect([...new Set(asked)].sort()).toEqual([...granted].sort())
  })

  it('has Secrets and kubelets in roles of their own, and changes nothing', async () => {
    const roles = await rolesIn()
    expect(roles.get('holdfast-audit-secrets')).toEqual(['list secrets of ""'])
    expect(roles.get('holdfast-audit-kubelets')).toEqual(['get nodes/proxy of ""'])
    const verbs = new Set([...roles.values()].flat().map((right) => right.split(' ')[0]))
    expect(verbs).toEqual(new Set(['list', 'get']))
  })

  it('binds every role to the one service account', async () => {
    const objects = parseAllDocuments(await readFile(file, 'utf8')).map((each) => each.toJS())
    const bindings = objects.filter(({ kind }) => kind === 'ClusterRoleBinding')
    expect(bindings.map(({ roleRef }) => roleRef.name).sort()).toEqual([...(await rolesIn()).keys()].sort())
    for (const { subjects } of bindings) {
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'holdfast-audit', namespace: 'holdfast' }])
    }
  })
})
