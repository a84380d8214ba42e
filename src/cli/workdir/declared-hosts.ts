import { readContract } from '../../contract-file/index.ts'
import type { RunnerHost } from '../../domain/workdir/index.ts'
import type { Context } from '../context.ts'
import { usage } from '../usage.ts'

export const contractOption = [
  '--contract <file>',
  'declares the hosts, as runnerHosts: docs/contract-file.md',
] as const

interface ContractOption {
  readonly contract?: string
}

/** The hosts of the contract file. Throws E_USAGE and E_CONTRACT_INVALID. */
export function declaredHosts({ contract }: ContractOption, { readFile }: Context): readonly RunnerHost[] {
  if (contract === undefined)
    throw usage(
      'no hosts are declared: name the file that has them as runnerHosts with --contract (docs/contract-file.md)',
    )
  const { runnerHosts } = readContract(contract, readFile)
  if (runnerHosts.length === 0)
    throw usage(`${contract} declares no host: add runnerHosts with name and root (docs/contract-file.md)`)
  return runnerHosts
}

/** The hosts of this name; all of them where none is named. */
export function chosenHosts(
  options: ContractOption,
  name: string | undefined,
  context: Context,
): readonly RunnerHost[] {
  const hosts = declaredHosts(options, context)
  const chosen = hosts.filter((host) => name === undefined || host.name === name)
  if (chosen.length > 0) return chosen
  throw usage(`no host ${name} is declared; there are: ${hosts.map((host) => host.name).join(', ')}`)
}

/** The one host of this name. */
export function chosenHost(options: ContractOption, name: string, context: Context): RunnerHost {
  const [host] = chosenHosts(options, name, context)
  if (host === undefined) throw usage(`no host ${name} is declared`)
  return host
}
