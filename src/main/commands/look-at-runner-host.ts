import { createLocalHosts, createSshHosts } from '../../adapters/workdir/index.ts'
import type { HostReading, RunnerHost } from '../../domain/workdir/index.ts'
import { createClock } from '../../platform/clock.ts'

/** Looks at a runner's work folder where it is: on this machine, or with the system's ssh client. */
export function lookAtRunnerHost(host: RunnerHost, signal: AbortSignal): Promise<HostReading> {
  const clock = createClock()
  const hosts =
    host.ssh === null
      ? createLocalHosts({ clock })
      : createSshHosts({ clock, program: 'ssh', env: process.env })
  return hosts.look(host, signal)
}
