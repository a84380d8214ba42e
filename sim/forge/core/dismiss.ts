import type { Context } from './context.ts'
import type { Runner } from './model.ts'

/** The runner leaves the forge. */
export function dismiss({ store }: Context, runner: Runner, because: string): void {
  store.put('runners', { ...runner, state: 'gone', jobId: null, goneAt: store.now, goneBecause: because })
}
