import type { Digest } from '../../domain/canonical-json.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HostLook } from '../../domain/remedy/index.ts'
import { judgeHost, type RunnerHost, workFolderVersion } from '../../domain/workdir/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HostActs } from '../../ports/host-acts.ts'
import type { RunnerHosts } from '../../ports/runner-hosts.ts'

/** One host, and how it is read and changed. */
export interface HostSources {
  readonly host: RunnerHost
  readonly hosts: RunnerHosts
  readonly acts: HostActs
}

export type LookDeps = HostSources & { readonly clock: Clock; readonly digest: Digest }

/** Looks at the host and judges it. Throws E_HOST_UNREADABLE: what was not seen proves nothing. */
export async function lookAt(
  { host, hosts, clock, digest }: LookDeps,
  signal: AbortSignal,
): Promise<HostLook> {
  const began = clock.now()
  const reading = await hosts.look(host, signal)
  if (reading.kind === 'unreachable') {
    const { why, needs } = reading
    throw new HoldfastError('E_HOST_UNREADABLE', {
      host: host.name,
      why: needs === null ? why : `${why} (needs ${needs})`,
    })
  }
  const { facts } = reading
  return {
    sources: { host: began },
    facts,
    judgement: judgeHost(host, reading, clock.now()),
    version: workFolderVersion(facts, digest),
  }
}
