import type { HostReading, RunnerHost, SshTarget } from '../../domain/workdir/index.ts'
import { isHostAddress, isPlainName, isPlainPath } from '../../domain/workdir/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunnerHosts } from '../../ports/runner-hosts.ts'
import { bounds } from './bounds.ts'
import { parseAnswer } from './parse.ts'
import { runProgram } from './run-program.ts'
import { remoteCommand, scriptInput } from './script.ts'

export interface SshDeps {
  readonly clock: Clock
  /** The ssh client: `ssh`. */
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Hosts that are reached with the system's ssh client, by keys that are known already. It asks no questions. */
export function createSshHosts(deps: SshDeps): RunnerHosts {
  return {
    async look(host, signal) {
      signal.throwIfAborted()
      const { ssh } = host
      if (ssh === null || !isSafe(host, ssh))
        return unreachable('it is not declared in a form that is safe to use', null)
      const ran = await runProgram(
        deps,
        {
          program: deps.program,
          args: sshArguments(ssh, remoteCommand),
          input: scriptInput(host.root, host.workFolder, host.ownerUid),
          maxMs: bounds.lookMaxMs,
        },
        signal,
      )
      signal.throwIfAborted()
      if (ran.kind === 'failed') return unreachable(ran.why, ran.needs)
      const facts = parseAnswer(ran.answer)
      return typeof facts === 'string'
        ? unreachable(
            `${ssh.address}: ${facts}`,
            'Linux with GNU find, and a login shell that prints nothing by itself',
          )
        : { kind: 'read', facts }
    },
  }
}

/** The contract file's form, checked again where it matters. */
export function isSafe({ root, workFolder, ownerUid }: RunnerHost, ssh: SshTarget): boolean {
  return (
    isPlainPath(root) &&
    isPlainName(workFolder) &&
    (ownerUid === null || Number.isSafeInteger(ownerUid)) &&
    isHostAddress(ssh.address) &&
    isPlainName(ssh.user) &&
    Number.isInteger(ssh.port) &&
    isPlainPath(ssh.knownHosts) &&
    (ssh.identityFile === null || isPlainPath(ssh.identityFile))
  )
}

/** No file of the user's settings is read, and nothing is forwarded. */
export function sshArguments(
  { address, port, user, knownHosts, identityFile }: SshTarget,
  command: string,
): string[] {
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: knownHosts,
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    ConnectTimeout: bounds.connectMaxMs / 1000,
    ServerAliveInterval: 15,
    ServerAliveCountMax: 2,
    ClearAllForwardings: 'yes',
    ForwardAgent: 'no',
    ControlPath: 'none',
    ...(identityFile === null ? {} : { IdentityFile: identityFile, IdentitiesOnly: 'yes' }),
  }
  return [
    ...['-F', 'none', '-T', '-p', String(port), '-l', user],
    ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    ...['--', address, command],
  ]
}

function unreachable(why: string, needs: string | null): HostReading {
  return { kind: 'unreachable', why, needs }
}
