import { announce, subscribed } from './announce.ts'
import type { Context } from './context.ts'
import type { Run, RunAction, RunFacts } from './model.ts'
import { runStatus } from './run-status.ts'
import { readsOf } from './view.ts'

/** Announces a run when its status has changed since its last message. */
export function announceRun(context: Context, runId: number): void {
  const { store } = context
  if (!subscribed(context).includes('workflow_run')) return
  const run = store.runs.get(runId) as Run
  const { status, conclusion } = runStatus(run, readsOf(store, null).jobsOf(runId))
  const isBegun = status === 'in_progress' || status === 'completed'
  const action: RunAction = isBegun ? status : 'requested'
  const announced = `${action} ${run.attempt}` as const
  // One that was under way and waits for an approval now was requested long ago.
  if (run.announced === announced || (!isBegun && run.announced === `in_progress ${run.attempt}`)) return
  const changed: Run = { ...run, announced }
  store.put('runs', changed)
  announce(
    context,
    { event: 'workflow_run', action, run: factsOf(changed), status, conclusion },
    run.repository,
  )
}

function factsOf({ plan, waiting, announced, ...facts }: Run): RunFacts {
  return facts
}
