import path from 'node:path'
import { createCommandRunner } from '../../../adapters/command/index.ts'
import { identityOf } from '../../../adapters/embedded-postgres/index.ts'
import { createApplyRecords } from '../../../adapters/remedy-files/index.ts'
import type { ManagedApplyOrder, ManagedApplyReport } from '../../../cli/index.ts'
import type { ApplyRecord } from '../../../domain/remedy/managed-apply/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { ApplyRecords } from '../../../ports/managed-apply.ts'
import {
  type ApplyDeps,
  type ApplyReport,
  abortApply,
  beginApply,
  resumeApply,
} from '../../../remedy/managed-apply/index.ts'
import { createBase } from '../../base.ts'
import { openRemedyStore, sha256 } from '../../remedy-store/index.ts'
import { version } from '../../version.ts'
import { operator } from './actor.ts'
import { openRunnerSources } from './sources.ts'

const idBytes = 6

/** Runs a managed apply to its end, resumes one or aborts it. */
export async function managedApply(
  config: Config,
  order: ManagedApplyOrder,
  onProgress: (line: string) => void,
  signal: AbortSignal,
): Promise<ManagedApplyReport> {
  const stack = new AsyncDisposableStack()
  try {
    const base = createBase(config)
    const { clock, entropy } = base
    const sources = await openRunnerSources(base, order, stack)
    const store = stack.use(await openRemedyStore(base, signal))
    stack.use(await store.lock())
    const applying: ApplyDeps = {
      ...sources,
      trail: store.trail,
      clock,
      digest: sha256,
      actor: operator(),
      program: version,
      records: recordsOf(config),
      commands: createCommandRunner({ clock, identityOf, output: order.isJson ? 'stderr' : 'stdout' }),
      newId: () => Buffer.from(entropy.bytes(idBytes)).toString('hex'),
      keepPlan: (hash, plan) => store.plans.write(hash, plan),
      onProgress,
    }
    const report = await acted(order.act, applying, signal)
    return { ...report, head: await store.trail.head() }
  } finally {
    await stack.disposeAsync()
  }
}

/** Reads alone, also while an apply runs. */
export function readApplies(config: Config): Promise<readonly ApplyRecord[]> {
  return recordsOf(config).list()
}

/** On this machine's disk, whatever store the trail has: what is owed must be known also where a database is away. */
function recordsOf({ dataDir }: Config): ApplyRecords {
  return createApplyRecords(path.join(dataDir, 'remedies', 'applies'))
}

function acted(act: ManagedApplyOrder['act'], deps: ApplyDeps, signal: AbortSignal): Promise<ApplyReport> {
  if (act.kind === 'begin') return beginApply(act, deps, signal)
  return act.kind === 'resume' ? resumeApply(act, deps, signal) : abortApply(act.id, deps)
}
