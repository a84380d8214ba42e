import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createKernelFiles } from '../../adapters/host-agent/index.ts'
import { findHierarchies } from '../../agent/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { type AgentInput, agentInputEnv, runAgent } from './program.ts'

const program = fileURLToPath(new URL('./program.ts', import.meta.url))
const compileBoundMs = 30_000
/** The agent's allocations live for a second: a small heap is enough. */
const smallHeap = ['--max-semi-space-size=1', '--max-old-space-size=64']

/**
 * Checks the machine, then puts the small program in the place of this process: the command line and what it can start
 * take twice the memory that an agent may.
 */
export async function startAgent(
  settings: AgentInput['settings'],
  level: AgentInput['level'],
  onReady: () => void,
): Promise<number> {
  if (findHierarchies(createKernelFiles(), settings.cgroups) === null) {
    const problems = [`--cgroups: got "${settings.cgroups}", expected a folder with the kernel's groups`]
    throw new HoldfastError('E_AGENT_SETTINGS', { problems })
  }
  onReady()
  const handed: AgentInput = { settings, level }
  if (process.execve === undefined) {
    await runAgent(handed)
    return 0
  }
  const env = { ...process.env, NODE_COMPILE_CACHE: path.join(settings.folder, 'compiled') }
  // Loaded once without an order, it leaves its compiled code there: with the compiler in it, it takes 18 MB more.
  spawnSync(process.execPath, [...smallHeap, program], { env, stdio: 'ignore', timeout: compileBoundMs })
  return process.execve(process.execPath, [process.execPath, ...smallHeap, program], {
    ...env,
    [agentInputEnv]: JSON.stringify(handed),
  })
}
