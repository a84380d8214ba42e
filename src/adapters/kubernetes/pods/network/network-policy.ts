import type { Manifest } from '../../../../ports/cluster.ts'
import { labels, manager } from '../names.ts'

/** Where clouds serve a node's credentials to any caller, besides link-local: AWS and Google over IPv6. */
const metadataV6 = ['fd00:ec2::254/128', 'fd20:ce::254/128']
/** The usual address of a DNS cache on each node; the only link-local one that a job needs. */
const nodeLocalDns = '169.254.20.10/32'

const dns = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }))

/**
 * For all runners of a namespace: nobody reaches them, and they reach everything but what is link-local, where clouds
 * serve the credentials of the node. Pods are named apart from addresses, because some networks do not count pods
 * among the addresses. It needs a network plugin that enforces policies, and does not hold for a pod with hostNetwork.
 */
export function runnerNetworkPolicy(namespace: string): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'holdfast-runners', namespace, labels: { [labels.managedBy]: manager } },
    spec: {
      podSelector: { matchExpressions: [{ key: labels.runner, operator: 'Exists' }] },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [
        {
          to: [
            { namespaceSelector: {} },
            { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
            { ipBlock: { cidr: '::/0', except: ['fe80::/10', ...metadataV6] } },
          ],
        },
        { to: [{ ipBlock: { cidr: nodeLocalDns } }], ports: dns },
      ],
    },
  }
}
