import type { Runner } from '../../domain/runner/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../ports/log.ts'
import type { RunnerHost } from '../../ports/runner-host.ts'

export interface BindDeps {
  readonly ledger: Pick<Ledger, 'bindPod'>
  readonly host: Pick<RunnerHost, 'uidOf'>
  readonly log: Log
}

/** Keeps by what its host tells a runner from all others, so that whoever leads next knows it without any mark. */
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
