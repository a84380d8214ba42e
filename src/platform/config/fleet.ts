import { z } from 'zod'
import { setting } from '../../api/schema/index.ts'
import { allowanceNames, allowanceProblem } from '../../domain/pool/index.ts'

const text = z.string().min(1)
const url = z
  .url({ protocol: /^https?$/, error: 'an http or https URL' })
  .transform((at) => at.replace(/\/+$/, ''))
const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits and inner hyphens, at most 63')

/** More than a cluster's administrator would name one by one. */
const allowancesMax = 100
const allowance = text.superRefine((entry, context) => {
  const problem = allowanceProblem(entry)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})

/** Where runners run, and how that place is reached. */
export const fleetSchema = z.strictObject({
  kind: setting(
    'Where runners run: `local`, as processes of this machine; `kubernetes`, as pods, in pools that are declared there as RunnerPools.',
    z.enum(['local', 'kubernetes']).default('local'),
    { flagAlias: '--fleet' },
  ),
  kubeconfig: setting('Kubeconfig of the cluster.', text.optional(), {
    defaultText: "KUBECONFIG, then the pod's own service account, then ~/.kube/config",
  }),
  namespace: setting('Namespace of the pools and their pods.', dnsLabel.optional(), {
    defaultText: "that of the kubeconfig's context or of the service account",
  }),
  serverUrl: setting('Address under which pods reach Holdfast.', url.optional(), {
    defaultText: '`http.publicUrl`',
  }),
  pollerImage: setting('Image of the container that asks for a job.', text.default('holdfast-poller')),
  serviceAccount: setting(
    'Service account of runner pods; it needs no rights. Only the poller gets its token.',
    dnsLabel.default('default'),
  ),
  allow: setting(
    `What pools may have beyond the pod-security standard \`baseline\`: ${allowanceNames.join(', ')}; with \`:\` for one value (\`hostPath:/dev/kvm\`, \`secrets:npm\`). \`dind\` needs \`privileged\`.`,
    z.array(allowance).max(allowancesMax).default([]),
  ),
  lease: setting(
    'Name of the Lease by which several Holdfasts of one cluster agree on who acts.',
    dnsLabel.default('holdfast'),
  ),
  leaseSeconds: setting(
    'How long the Lease of a Holdfast that ended without a word keeps others waiting.',
    z.int().min(3).max(300).default(15),
  ),
  nodesMayGrow: setting(
    'Whether an autoscaler adds nodes for pods that wait; then the nodes there are do not bound how many are made.',
    z.boolean().default(false),
  ),
  networkPolicy: setting(
    'Whether Holdfast applies the NetworkPolicy `holdfast-runners` to the namespace: nobody reaches runners, and runners reach no link-local address, where clouds serve the credentials of a node. One that is there already is not removed.',
    z.boolean().default(true),
  ),
})
