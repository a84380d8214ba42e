import { onTestFinished, type TestContext } from 'vitest'
import { createKernelFiles, openKernelLog, openRingFiles } from '../../src/adapters/host-agent/index.ts'
import { type Agent, createAgent } from '../../src/agent/agent.ts'
import { FakePush } from '../../src/agent/testing/fakes.ts'
import { clock, entropy, recordedLog } from './machine.ts'
import { temporaryFolder } from './temporary.ts'
import { untilTestEnds } from './until-test-ends.ts'

/** The agent on this machine's own kernel, for the groups below one of `cgroups`; it ends with the test. */
export async function realAgent(cgroups: string, below: string): Promise<{ agent: Agent; push: FakePush }> {
  const folder = untilTestEnds(await temporaryFolder('holdfast-agent-')).path
  const push = new FakePush()
  const agent = createAgent({
    clock,
    entropy,
    log: recordedLog(),
    push,
    files: createKernelFiles(),
    kernelLog: openKernelLog('/dev/kmsg'),
    rings: openRingFiles(folder),
    settings: {
      url: '',
      tokenFile: '',
      node: 'this',
      folder,
      cgroups,
      below,
      proc: '/proc',
      kernelLog: '/dev/kmsg',
      images: folder,
      sampleMs: 100,
    },
  })
  const stopping = new AbortController()
  const running = agent.run(stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await running
    agent.close()
  })
  return { agent, push }
}

/** A test that this machine cannot run says so, and is counted as skipped. */
export function skipLoudly(test: TestContext, isThere: boolean, why: string): void {
  if (isThere) return
  process.stderr.write(`NOT SHOWN ON THIS MACHINE: ${why}\n`)
  test.skip(why)
}
