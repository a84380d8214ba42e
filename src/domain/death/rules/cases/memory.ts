import { aHostRing, aHostSample, aPodEnd, aRunnerEnd, endedAt } from '../../testing.ts'
import { exit, killed, type RuleCase } from './case.ts'

const kernelLine = (line: string) => aHostRing({ oomLines: [{ at: endedAt - 1000, line }] }, { oomKills: 1 })
const memcg = 'Memory cgroup out of memory: Killed process 4711 (global_oom) total-vm:9kB'
const pod = (reason: string, name = 'runner') =>
  aPodEnd({
    containers: [aRunnerEnd({ exitCode: 137 }), aRunnerEnd({ name, reason, exitCode: 137 })].slice(
      name === 'runner' ? 1 : 0,
    ),
  })
const risen = aHostRing({
  samples: [
    aHostSample({ at: endedAt - 60_000, oomKills: 0 }),
    aHostSample({ at: endedAt - 1000, oomKills: 1 }),
  ],
})
const vitals = (kill: number) =>
  [0, kill]
    .map((n, i) => `2023-11-14T22:13:1${i}Z RUNNER_VITALS mem_current=5 mem_max=9 oom_kill=${n}`)
    .join('\n')

/** For tests: what kernel, kubelet and agent say about memory. */
export const memoryCases: readonly RuleCase[] = [
  {
    rule: 'its node ran out of memory',
    fires: { ending: killed, ring: kernelLine('Out of memory: Killed process 4711 (node) total-vm:9kB') },
    ...{ class: 'node-oom', confidence: 'proven' },
    not: { ending: killed, ring: kernelLine(memcg) },
    otherwise: 'guest-oom',
  },
  {
    rule: 'kernel counted an OOM kill',
    fires: { ending: { ...killed, oomKills: 1, memoryPeakBytes: 99, memoryLimitBytes: 100 } },
    ...{ class: 'container-oom', confidence: 'proven' },
    not: { ending: { ...killed, oomKills: 0 } },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'the kubelet says OOMKilled',
    fires: { ending: { ...exit(137), pod: pod('OOMKilled') } },
    ...{ class: 'container-oom', confidence: 'proven' },
    not: { ending: { ...exit(137), pod: pod('Error') } },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'a container beside it was OOMKilled',
    fires: { ending: { ...exit(1), pod: pod('OOMKilled', 'dind') } },
    ...{ class: 'container-oom', confidence: 'likely' },
    not: { ending: { ...exit(1), pod: pod('Error', 'dind') } },
    otherwise: 'failed',
  },
  {
    rule: 'killed while the host saw memory run out',
    fires: { ending: { ...exit(137), pod: pod('Error') }, ring: risen },
    ...{ class: 'guest-oom', confidence: 'proven' },
    not: { ending: { ...exit(137), pod: pod('Error') }, ring: aHostRing() },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'killed while its own output speaks of memory',
    fires: { ending: { ...exit(137), tail: vitals(1) } },
    ...{ class: 'sigkill-unknown', confidence: 'likely' },
    not: { ending: { ...exit(137), tail: vitals(0) } },
    otherwise: 'sigkill-unknown',
  },
]
