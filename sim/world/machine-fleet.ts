import type { Identity } from '../../src/ports/identity.ts'
import type { FleetTwin } from './fleet.ts'
import type { History } from './history.ts'
import { createHostTwin } from './host.ts'
import type { RunnerWorld } from './runner.ts'
import { hashOf } from './twins.ts'

/** One or two machines on which runners are processes. */
export function createMachineFleet(
  world: RunnerWorld & { readonly history: History },
  hasTwoMachines: boolean,
): FleetTwin {
  const hosts = [createHostTwin('host-0', world), createHostTwin('host-1', world)] as const
  const identity: Identity = { provesName: false, of: async (_runner, secret) => hashOf(secret) }
  return {
    openFor: (_life, slot) => ({
      host: hosts[hasTwoMachines ? slot : 0],
      isRemote: false,
      identity,
      declared: null,
      leads: null,
    }),
    living: () => new Set(hosts.flatMap((host) => host.living().map((runner) => runner.name))),
    loseSecond() {
      for (const mortal of hosts[1].living()) mortal.end(null, 'SIGKILL')
    },
    begin: () => undefined,
    calm: () => undefined,
    isMended: () => true,
    check: () => null,
    checkRest: () => null,
  }
}
