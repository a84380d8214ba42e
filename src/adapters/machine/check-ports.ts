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
  /** Who has it, in words; null where it cannot be listened on for another reason. */
  readonly holder: string | null
  /** The system's code, such as `EADDRINUSE`. */
  readonly reason: string
}

/**
 * Throws one E_PORT_IN_USE that names every port that is taken, and by whom. What else is wrong with an address is said
 * by whoever listens there.
 */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const taken = (await portProblems(wanted)).filter(({ reason }) => reason === 'EADDRINUSE')
  if (taken.length > 0) throw new HoldfastError('E_PORT_IN_USE', { taken: taken.map(takenText) })
}

/** All that cannot be listened on now; 0 is any free port, and never a problem. */
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

/** Listens and lets go at once: null where that went well. */
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
