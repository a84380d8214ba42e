import { once } from 'node:events'
import { createServer } from 'node:net'
import { HoldfastError } from '../../domain/errors/index.ts'
import { holderOf } from './port-holder.ts'

/** A port that is about to be listened on, and the setting that names it. */
export interface WantedPort {
  readonly host: string
  readonly port: number
  /** Such as `http.port`. */
  readonly setting: string
}

export interface PortProblem extends WantedPort {
  /** A description of the process that has it; null where it cannot be listened on for another reason. */
  readonly holder: string | null
  /** The system's code, such as `EADDRINUSE`. */
  readonly reason: string
}

/**
 * Throws one E_PORT_IN_USE that names every port in use, and by which process. The server that listens reports any other
 * problem of its address.
 */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const taken = (await portProblems(wanted)).filter(({ reason }) => reason === 'EADDRINUSE')
  if (taken.length > 0) throw new HoldfastError('E_PORT_IN_USE', { taken: taken.map(takenText) })
}

/** The ports that cannot be listened on now; 0 is any free port, and never a problem. */
export async function portProblems(wanted: readonly WantedPort[]): Promise<readonly PortProblem[]> {
  const problems: PortProblem[] = []
  const isFixed = ({ port }: WantedPort): boolean => port !== 0
  for (const [at, one] of wanted.entries()) {
    if (!isFixed(one)) continue
    const same = wanted.slice(0, at).find(({ port, host }) => port === one.port && host === one.host)
    const reason = same === undefined ? await refusalOf(one) : 'EADDRINUSE'
    if (reason === null) continue
    const holder = same === undefined ? await holderOf(one.port) : `the setting ${same.setting}`
    problems.push({ ...one, holder: reason === 'EADDRINUSE' ? holder : null, reason })
  }
  return problems
}

function takenText({ host, port, setting, holder }: PortProblem): string {
  return `port ${port} on ${host} (${setting}): ${holder ?? 'a program that the system does not name'}`
}

/** Listens and closes at once: null where that worked, else the system's code. */
async function refusalOf({ host, port }: WantedPort): Promise<string | null> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
