import { z } from 'zod'

const text = z.string().min(1)

const cluster = z.object({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': text.optional(),
  'proxy-url': z.url({ protocol: /^https?$/ }).optional(),
})

const exec = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: text,
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: text, value: z.string() })).nullish(),
  provideClusterInfo: z.boolean().optional(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).optional(),
})

/** Fields that would make us somebody else than they say, if they were passed over. */
const unsupported = z
  .undefined({ error: 'is not supported here: use a token, a client certificate or an exec command' })
  .optional()

const user = z.object({
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
  token: text.optional(),
  tokenFile: text.optional(),
  exec: exec.optional(),
  username: unsupported,
  'auth-provider': unsupported,
  as: unsupported,
  'as-uid': unsupported,
  'as-groups': unsupported,
})

const context = z.object({ cluster: text, user: text, namespace: text.optional() })

/** A list may be absent or null; which entries are good is judged only for those that are used. */
const named = z
  .array(z.object({ name: text }).loose())
  .nullish()
  .transform((list) => list ?? [])

/** A kubeconfig file as a whole. */
export const kubeconfigFile = z.object({
  'current-context': z.string().optional(),
  clusters: named,
  users: named,
  contexts: named,
})
export const kubeconfigEntries = { cluster, user, context }

export type ExecSettings = z.infer<typeof exec>
export type ClusterSettings = z.infer<typeof cluster>
