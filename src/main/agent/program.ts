import {
  createKernelFiles,
  createRingPush,
  openKernelLog,
  openRingFiles,
} from '../../adapters/host-agent/index.ts'
import { type AgentSettings, createAgent } from '../../agent/index.ts'
import { createClock } from '../../platform/clock.ts'
import { createEntropy } from '../../platform/entropy.ts'
import { createPlainLog, type PlainLogOptions } from '../../platform/log/plain-log.ts'

/** Where `agent.ts` hands its settings over. */
export const agentInputEnv = 'HOLDFAST_AGENT_PROGRAM'

export interface AgentInput {
  readonly settings: AgentSettings
  readonly level: PlainLogOptions['level']
}

/** Runs the agent until a signal. It imports only what it needs: it shares its node with a hundred runners. */
export async function runAgent({ settings, level }: AgentInput): Promise<void> {
  const clock = createClock()
  const log = createPlainLog({ level, clock, stream: process.stderr })
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const agent = createAgent({
    clock,
    entropy: createEntropy(),
    log,
    settings,
    files: createKernelFiles(),
    kernelLog: openKernelLog(settings.kernelLog),
    rings: openRingFiles(settings.folder),
    push: createRingPush(settings),
  })
  try {
    await agent.run(stopping.signal)
  } finally {
    agent.close()
  }
}

const order = process.env[agentInputEnv]
if (import.meta.main && order !== undefined) await runAgent(JSON.parse(order) as AgentInput)
