import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../../support/go-build.ts'
import { addresses, nodeName, type Place } from '../place.ts'

const masters = ['system:masters']

/** Makes the authority of a cluster and a certificate for each part and for the person who uses it. */
export async function writeCertificates(tools: string, place: Place, nodes: number): Promise<void> {
  const plan = [
    {
      name: 'apiserver',
      commonName: 'kube-apiserver',
      hosts: ['127.0.0.1', 'localhost', addresses.service, addresses.control, ...serviceNames()],
    },
    { name: 'admin', commonName: 'admin', organisation: masters },
    { name: 'kubelet-client', commonName: 'kube-apiserver-kubelet-client', organisation: masters },
    { name: 'controller-manager', commonName: 'system:kube-controller-manager' },
    { name: 'scheduler', commonName: 'system:kube-scheduler' },
    { name: 'kwok', commonName: 'kwok', organisation: masters },
    ...Array.from({ length: nodes }, (_, index) => ({
      name: nodeName(index + 1),
      commonName: `system:node:${nodeName(index + 1)}`,
      organisation: ['system:nodes'],
      hosts: [nodeName(index + 1), addresses.node(index + 1)],
    })),
  ]
  await mkdir(place.certificates, { recursive: true, mode: 0o700 })
  const planFile = path.join(place.certificates, 'plan.json')
  await writeFile(planFile, JSON.stringify(plan))
  await run(tools, ['certificates', place.certificates, planFile])
}

function serviceNames(): string[] {
  const name = 'kubernetes.default.svc'
  return ['kubernetes', 'kubernetes.default', name, `${name}.cluster.local`]
}
