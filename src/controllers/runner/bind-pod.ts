import type { Runner } from '../../domain/runner/index.ts'
import type { RunnerLedger } from '../../ports/ledger.ts'
import type { Log } from '../../ports/log.ts'
import type { RunnerHost } from '../../ports/runner-host.ts'

export interface BindDeps {
  readonly ledger: RunnerLedger
  readonly host: Pick<RunnerHost, 'uidOf'>
  readonly log: Log
}

/** Stores the uid of the runner's pod, so that the next leader recognises it without any label. */
export async function bindPod(
  { id, name, podUid = null }: Pick<Runner, 'id' | 'name'> & Partial<Pick<Runner, 'podUid'>>,
  { ledger, host, log }: BindDeps,
): Promise<void> {
  const uid = host.uidOf(name)
  if (uid === undefined || uid === podUid) return
  if ((await ledger.bindPod(id, uid)) === 'other')
    log.error(
      { runner: name, uid, podUid },
      'a pod has the name of a runner, and is not the one that was made for it',
    )
}
