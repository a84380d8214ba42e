import { type HostFacts, hostDrain, hostStart, processesOf, type Remedy } from '../../domain/remedy/index.ts'
import type { Treatment } from '../treatment.ts'
import { type LookDeps, lookAt } from './look.ts'

/** `host drain` and `host start` on one host. */
export function serviceTreatment(
  verb: 'start' | 'stop',
  deps: LookDeps,
  remedy: Remedy<HostFacts> = verb === 'stop' ? hostDrain : hostStart,
): Treatment<HostFacts> {
  const { host, acts } = deps
  return {
    remedy,
    readFresh: (_, signal) => lookAt(deps, signal),
    act: ({ rootId, listeners }, signal) => acts.controlService(host, { verb, rootId, listeners }, signal),
    async isDone(_, signal) {
      const look = await lookAt(deps, signal)
      const listeners = processesOf(look, 'listener')
      if (verb === 'start') return listeners.some(({ place }) => place === 'here')
      return look.facts.areProcessesWhole && listeners.length === 0
    },
    readAfter: (_, signal) => lookAt(deps, signal),
    ends: () => [{ subject: host.name, read: (signal) => lookAt(deps, signal) }],
    texts: {
      toDo: ({ resourceVersion }) => `its service is to ${verb} now, seen with ${resourceVersion}`,
      done: `its service took ${verb} on`,
      verified: verb === 'stop' ? 'no Listener and no Worker is there' : 'its Listener is there',
      proven: verb === 'stop' ? 'drained: it takes no new job' : 'started: it takes jobs again',
    },
  }
}
