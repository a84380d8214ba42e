import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import { type Cluster, nodeName, up } from '../cluster/index.ts'
import { suiteName } from '../cluster/testing/names.ts'
import { makeNamespace } from '../cluster/testing/namespaces.ts'
import { programIn } from './audit.ts'
import { type Row, rowOf } from './report.ts'
import { makeAuditor } from './rights.ts'
import type { Situation } from './situation.ts'
import { isRunning, type StageParts, stageOf } from './stage.ts'

type NodeSituation = Pick<Situation, 'name' | 'how' | 'classes'>

const namespace = 'audits-node'
const node = nodeName(1)
const whole: NodeSituation = {
  name: 'node',
  how: 'a kubelet with pods, on a disk and in memory that leave room',
  classes: [],
}
const pressed: NodeSituation = {
  name: 'node-short',
  how: 'the same kubelet, whose settings call its disk and memory short: it evicts',
  classes: ['headroom', 'node-pressure-eviction'],
}
/** More than a machine in use has left; with all of it, the kubelet would not start. */
const nearlyAll = { 'memory.available': '99%', 'nodefs.available': '99%' }

export const nodeSituations: readonly NodeSituation[] = [whole, pressed]

/** A node that evicts. It has a cluster of its own, since it evicts whatever is there. */
export async function nodeTrouble(
  home: string,
  parts: Omit<StageParts, 'cluster' | 'namespace'>,
): Promise<readonly Row[]> {
  const cluster = await up({ name: suiteName('node'), nodes: 1 }, () => {})
  try {
    await makeNamespace(cluster, namespace)
    const stage = stageOf({ cluster, namespace, ...parts })
    const { kubeconfig } = await makeAuditor(cluster, { word: 'node', namespace, folder: home })
    const program = programIn(home, { runners: [], jobs: [] })
    await stage.pod('evicted')
    await stage.podThat('evicted', isRunning)
    const before = await program.audit(kubeconfig)
    await tighten(cluster)
    await stage.podThat('evicted', ({ status }) => status.reason === 'Evicted')
    const after = await program.audit(kubeconfig)
    return [rowOf(whole, node, before.findings), rowOf(pressed, node, after.findings)]
  } finally {
    await cluster[Symbol.asyncDispose]()
  }
}

/** Changes the thresholds of the kubelet, and starts it again with them. */
async function tighten({ place, parts, startAgain }: Cluster): Promise<void> {
  const file = path.join(place.folder, node, 'kubelet.yaml')
  const settings = parse(await readFile(file, 'utf8'))
  await writeFile(file, stringify({ ...settings, evictionHard: { ...settings.evictionHard, ...nearlyAll } }))
  await parts.kill(`${node}-kubelet`)
  await startAgain(`${node}-kubelet`)
}
