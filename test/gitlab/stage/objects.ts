import { managerImage } from './images.ts'

const account = 'gitlab-runner'
const labels = { app: 'gitlab-runner' }

/** The objects with which a manager works in a namespace, by where they are made. */
export function managerObjects(namespace: string, config: string): readonly (readonly [string, object])[] {
  const core = `/api/v1/namespaces/${namespace}`
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const metadata = { name: account, namespace }
  return [
    [`${core}/limitranges`, { kind: 'LimitRange', metadata: { name: 'limits', namespace }, spec: limits }],
    [`${core}/serviceaccounts`, { kind: 'ServiceAccount', metadata }],
    [`${rbac}/roles`, { kind: 'Role', metadata, rules }],
    [
      `${rbac}/rolebindings`,
      {
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account },
        subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
      },
    ],
    [`${core}/configmaps`, { kind: 'ConfigMap', metadata, data: { 'config.toml': config } }],
    [`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment(metadata)],
  ]
}

/** The LimitRange: defaults of containers that say nothing, and the most that one may ask for. */
const limits = {
  limits: [
    {
      type: 'Container',
      default: { memory: '128Mi' },
      defaultRequest: { memory: '24Mi' },
      max: { memory: '512Mi' },
    },
  ],
}

const rules = [
  { apiGroups: [''], resources: ['pods'], verbs: ['create', 'delete', 'get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['pods/exec', 'pods/attach'], verbs: ['create', 'get', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get', 'list'] },
  { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['create', 'delete', 'get', 'update'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
  { apiGroups: [''], resources: ['services'], verbs: ['create', 'get'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch'] },
]

function deployment(metadata: { readonly name: string; readonly namespace: string }): object {
  // The manager keeps a file of its own next to its config.
  const start =
    'cp /given/config.toml /config/config.toml && exec gitlab-runner run --config /config/config.toml --working-directory /tmp'
  const container = {
    name: 'gitlab-runner',
    image: managerImage,
    imagePullPolicy: 'Never',
    command: ['/bin/sh', '-c', start],
    resources: { limits: { memory: '256Mi' } },
    volumeMounts: [
      { name: 'given', mountPath: '/given' },
      { name: 'config', mountPath: '/config' },
    ],
  }
  return {
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: account,
          terminationGracePeriodSeconds: 1,
          containers: [container],
          volumes: [
            { name: 'given', configMap: { name: account } },
            { name: 'config', emptyDir: {} },
          ],
        },
      },
    },
  }
}
