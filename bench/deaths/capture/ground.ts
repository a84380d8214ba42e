import {
  createCluster,
  findConnection,
  type Cluster as Ours,
} from '../../../src/adapters/kubernetes/index.ts'
import type { PodPlan } from '../../../src/domain/pool/index.ts'
import { createLog } from '../../../src/platform/log/index.ts'
import type { Log } from '../../../src/ports/log.ts'
import { busyboxEntries, type Cluster, up } from '../../../test/cluster/index.ts'
import { prepareMachine } from '../../../test/cluster/machine/needs.ts'
import { until } from '../../../test/cluster/machine/until.ts'
import { type BareApi, openBareApi } from '../../fleet/api.ts'
import { clock, entropy } from '../../ledger/ground.ts'

/** A real cluster of one real node, and the two who ask its API server: Holdfast's adapter, and the bare loop. */
export interface CaptureGround {
  readonly cluster: Cluster
  readonly ours: Ours
  readonly bare: BareApi
  readonly log: Log
  readonly plans: ReadonlyMap<EndName, PodPlan>
  close(): Promise<void>
}

export type EndName = 'death' | 'clean'
export const endNames: readonly EndName[] = ['death', 'clean']
export const namespace = 'default'
/** As many as the adapter has. */
const connections = 64
const image = 'holdfast.test/ended:1'
const accountWithinMs = 60_000
/** Asks nobody: a job is there at once. */
const poller = `#!/bin/sh
echo "a job came"
echo 'exec "$@"' > "$HOLDFAST_JIT_DIR/run"
`
/** As builds leave it: 200 lines, 25 KiB. */
const output =
  'i=0; while [ $i -lt 200 ]; do echo "2026-11-16T03:00:00Z test/unit/part-$i.test.ts  $i passed, 0 failed, 12 ms, and what it was called with: --reporter=dot"; i=$((i+1)); done'
const lastLines: Readonly<Record<EndName, string>> = {
  death: 'echo "Error: worker 3 ended" >&2; exit 1',
  clean: 'echo "2026-11-16 03:00:00Z: Job build completed with result: Succeeded"; exit 0',
}

export async function openCaptureGround(
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<CaptureGround> {
  const cluster = await up({ name: `bench-deaths-${process.pid}`, nodes: 1, signal }, say)
  try {
    const { busybox } = await prepareMachine(say)
    const program = { kind: 'file', path: 'holdfast/poller.sh', content: poller, mode: 0o755 } as const
    const entries = [
      ...(await busyboxEntries(busybox)),
      ...[{ kind: 'folder', path: 'holdfast' } as const, program],
    ]
    await cluster.load({ name: image, entries, command: ['/bin/sh'] })
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
    await until('the service account is there', accountWithinMs, async () => {
      return (await cluster.api.request('GET', account)).status === 200
    })
    // Lines are made as they are, and thrown away.
    const log = createLog({ level: 'info', format: 'json', clock, stream: { write: () => {} } })
    const connection = await findConnection({ kubeconfig: cluster.kubeconfig, env: {}, clock, log })
    const ours = createCluster({ connection, clock, entropy, log })
    const bare = await openBareApi(cluster, connections)
    return {
      cluster,
      ours,
      bare,
      log,
      plans: new Map(endNames.map((name) => [name, planOf(name)])),
      async close() {
        await Promise.all([ours.close(), bare.close()])
        await cluster[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await cluster[Symbol.asyncDispose]()
    throw error
  }
}

function planOf(end: EndName): PodPlan {
  return {
    shape: 'isolated',
    image,
    command: ['sh', '-c', `${output}; ${lastLines[end]}`],
    runtimeClass: null,
    dind: null,
    template: {},
    stopGraceMs: 2_000,
    resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
    evidence: { tailLines: 200, tailBytes: 64 * 1024, deadlineMs: 60_000 },
  }
}
