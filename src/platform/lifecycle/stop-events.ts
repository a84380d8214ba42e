/** Signals that ask for an orderly end, with their numbers. */
export const stopSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
export type StopSignal = keyof typeof stopSignals

export type StopEvent =
  | { readonly kind: 'signal'; readonly signal: StopSignal }
  /** An error that nobody caught: what it left behind is unknown, so the program ends. */
  | { readonly kind: 'fatal'; readonly error: unknown }

/** Where requests to stop come from. */
export interface StopEvents {
  subscribe(listener: (event: StopEvent) => void): () => void
}

/** The signals and uncaught errors of a process. */
export function stopEventsOf(host: Pick<NodeJS.Process, 'on' | 'off'>): StopEvents {
  return {
    subscribe(listener) {
      const onSignal = (signal: StopSignal): void => listener({ kind: 'signal', signal })
      const onFatal = (error: unknown): void => listener({ kind: 'fatal', error })
      const names = Object.keys(stopSignals) as StopSignal[]
      for (const name of names) host.on(name, onSignal as NodeJS.SignalsListener)
      host.on('uncaughtException', onFatal)
      host.on('unhandledRejection', onFatal)
      return () => {
        for (const name of names) host.off(name, onSignal as NodeJS.SignalsListener)
        host.off('uncaughtException', onFatal)
        host.off('unhandledRejection', onFatal)
      }
    },
  }
}
