import { isSame, type JsonMap, mapOf, mapsOf } from '../json.ts'
import { volumes } from '../names.ts'
import type { Problem } from '../problem.ts'
import type { Check, Checked } from './check.ts'
import { isWithin } from './node-paths.ts'

/**
 * Places of a node from which a job reaches the tokens of other pods, or ends their containers without a trace: the
 * kubelet's, the container runtimes', the kernel's view of all processes, and the agent's evidence. Refused whatever is
 * allowed, and not only warned of, because
 * who suffers are the runners of other pools.
 */
const nodeInnards = [
  ...['/proc', '/etc/kubernetes', '/var/lib/kubelet', '/var/lib/rancher', '/var/lib/k0s'],
  ...['/var/lib/containerd', '/var/lib/docker', '/var/lib/containers'],
  ...['/var/lib/holdfast'], // what the agent keeps as evidence, and the data of a Holdfast on the node
  ...['/run/containerd', '/run/docker', '/run/docker.sock', '/run/crio', '/run/k3s', '/run/podman'],
]

/** Which files and credentials reach the pod. */
export const checkVolumes: Check = (checked) => [
  ...reservedProblems(checked),
  ...mapsOf(checked.merged.spec.volumes).flatMap((volume) => [
    ...tokenProblems(volume, checked.audience),
    ...hostProblems(volume),
  ]),
]

function reservedProblems({ bare, merged: { spec } }: Checked): Problem[] {
  return [volumes.token, volumes.jit].flatMap((name) => {
    const [before, ...after] = [bare.spec, spec].flatMap((one) =>
      mapsOf(one.volumes).filter((volume) => volume.name === name),
    )
    if (after.length === 1 && isSame(before, after[0])) return []
    const todo = 'Remove what the template says of it, or give the volume another name.'
    return [{ at: `spec.volumes["${name}"]`, expected: JSON.stringify(before), got: after, todo }]
  })
}

function tokenProblems(volume: JsonMap, ours: string): Problem[] {
  if (volume.name === volumes.token) return []
  return mapsOf(mapOf(volume.projected).sources).flatMap(({ serviceAccountToken }) => {
    if (serviceAccountToken === undefined || serviceAccountToken === null) return []
    const { audience } = mapOf(serviceAccountToken)
    if (typeof audience === 'string' && audience !== '' && audience !== ours) return []
    return [
      {
        at: `spec.volumes["${volume.name}"].projected.sources.serviceAccountToken.audience`,
        expected: `an audience, and another than "${ours}"`,
        got: audience,
        todo:
          'Say for whom the token is, such as "https://kubernetes.default.svc" for the cluster itself: jobs can read ' +
          'it, and a token of ours would let them ask for jobs.',
      },
    ]
  })
}

function hostProblems({ name, hostPath }: JsonMap): Problem[] {
  const { path } = mapOf(hostPath)
  if (
    typeof path !== 'string' ||
    !nodeInnards.some((inner) => isWithin(inner, path) || isWithin(path, inner))
  )
    return []
  return [
    {
      at: `spec.volumes["${name}"].hostPath.path`,
      expected:
        "a folder of the node that holds nothing of the kubelet's, of a container runtime's or of Holdfast's",
      got: path,
      todo: 'Mount a folder of its own; for Docker in jobs use `dind`. Through this one, jobs could end other runners.',
    },
  ]
}
