import { type HostJudgement, judgeHost, type RunnerHost } from '../../domain/workdir/index.ts'
import { eachBounded } from '../../loop/index.ts'
import type { Context } from '../context.ts'

/** Each look waits for another machine; a laptop's agent signs so many keys at once. */
const looksAtOnceMax = 8

/** Looks at hosts and judges them, in the order in which they are declared. */
export async function judgeHosts(
  hosts: readonly RunnerHost[],
  { roles, clock, signal }: Context,
): Promise<readonly HostJudgement[]> {
  const judged = new Map<RunnerHost, HostJudgement>()
  await eachBounded(
    hosts,
    looksAtOnceMax,
    async (host) => {
      const reading = await roles.lookAtRunnerHost(host, signal)
      judged.set(host, judgeHost(host, reading, clock.now()))
    },
    signal,
  )
  signal.throwIfAborted()
  return hosts.flatMap((host) => judged.get(host) ?? [])
}
