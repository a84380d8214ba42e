/**
 * What an unexpected end of a task means.
 * - `once`: it may end; if it fails, that is logged and counted.
 * - `loop`: it runs until it is stopped; failing or ending before, it is started again after a pause that grows.
 * - `vital`: it runs until it is stopped; failing or ending before, `/livez` fails from then on.
 */
export type TaskKind = 'once' | 'loop' | 'vital'

/** Background work that somebody answers for: tracked, stopped at shutdown, and never silent when it fails. */
export interface Tasks {
  /**
   * Starts the work; its signal is aborted at shutdown, which then waits for it. Throws `E_TASKS_FULL`
   * rather than track without bound; during shutdown it starts nothing and says so in the log.
   */
  run(name: string, work: (signal: AbortSignal) => Promise<void>, kind?: TaskKind): void
}
