import { aHostSample, aHostSamples, aPodEnd, aRunnerEnd, endedAt } from '../../testing.ts'
import { exit, killed, type RuleCase } from './case.ts'

const kernelLine = (line: string) =>
  aHostSamples({ oomLines: [{ at: endedAt - 1000, line }] }, { oomKills: 1 })
const memcg = 'Memory cgroup out of memory: Killed process 4711 (global_oom) total-vm:9kB'
const pod = (reason: string, name = 'runner') =>
  aPodEnd({
    containers: [aRunnerEnd({ exitCode: 137 }), aRunnerEnd({ name, reason, exitCode: 137 })].slice(
      name === 'runner' ? 1 : 0,
    ),
  })
const risen = aHostSamples({
  samples: [
    aHostSample({ at: endedAt - 2_000, oomKills: 0 }),
    aHostSample({ at: endedAt - 1000, oomKills: 1 }),
  ],
})
const vitals = (kill: number) =>
  [0, kill]
    .map((n, i) => `2023-11-14T22:13:1${i}Z RUNNER_VITALS mem_current=5 mem_max=9 oom_kill=${n}`)
    .join('\n')

/** The kernel counted or wrote of a kill so long before the end. */
const killAgo = (ms: number, line: string | null = null) =>
  aHostSamples({
    samples: Array.from({ length: 100 }, (_, place) => endedAt - (98 - place) * 1_000).map((at) =>
      aHostSample({ at, oomKills: at >= endedAt - ms ? 1 : 0 }),
    ),
    oomLines: line === null ? [] : [{ at: endedAt - ms, line }],
  })
const outOfMemory = 'Out of memory: Killed process 4711 (node) total-vm:9kB'

/** For tests: what kernel, kubelet and agent say about memory. */
export const memoryCases: readonly RuleCase[] = [
  {
    rule: 'its node ran out of memory',
    fires: { ending: { ...exit(137), pod: pod('Error') }, ring: kernelLine(outOfMemory) },
    class: 'node-oom',
    confidence: 'proven',
    not: { ending: { ...exit(137), pod: pod('Error') }, ring: kernelLine(memcg) },
    otherwise: 'guest-oom',
    impostor: {
      how: 'its node ran out of memory and took a child of it, which it survived; it was killed a minute later',
      facts: { ending: { ...exit(137), pod: pod('Error') }, ring: killAgo(60_000, outOfMemory) },
      class: 'sigkill-unknown',
    },
  },
  {
    rule: 'kernel counted an OOM kill',
    fires: { ending: { ...killed, oomKills: 1, memoryPeakBytes: 99, memoryLimitBytes: 100 } },
    class: 'container-oom',
    confidence: 'likely',
    not: { ending: { ...killed, oomKills: 0 } },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'the kubelet says OOMKilled',
    fires: { ending: { ...exit(137), pod: pod('OOMKilled') }, ring: killAgo(1_000) },
    class: 'container-oom',
    confidence: 'proven',
    not: { ending: { ...exit(137), pod: pod('Error') } },
    otherwise: 'sigkill-unknown',
    impostor: {
      how: 'a child of it was killed for memory, which it survived; somebody killed it 20 s later',
      facts: { ending: { ...exit(137), pod: pod('OOMKilled') }, ring: killAgo(20_000) },
      class: 'sigkill-unknown',
    },
  },
  {
    rule: 'killed after an older kill for memory',
    fires: { ending: { ...exit(137), pod: pod('OOMKilled') }, ring: killAgo(20_000) },
    class: 'sigkill-unknown',
    confidence: 'likely',
    not: { ending: { ...exit(137), pod: pod('OOMKilled') } },
    otherwise: 'container-oom',
  },
  {
    rule: 'a container beside it was OOMKilled',
    fires: { ending: { ...exit(1), pod: pod('OOMKilled', 'dind') } },
    class: 'container-oom',
    confidence: 'likely',
    not: { ending: { ...exit(1), pod: pod('Error', 'dind') } },
    otherwise: 'failed',
  },
  {
    rule: 'killed while the host saw memory run out',
    fires: { ending: { ...exit(137), pod: pod('Error') }, ring: risen },
    class: 'guest-oom',
    confidence: 'likely',
    not: { ending: { ...exit(137), pod: pod('Error') }, ring: aHostSamples() },
    otherwise: 'sigkill-unknown',
  },
  {
    rule: 'killed while its own output speaks of memory',
    fires: { ending: { ...exit(137), tail: vitals(1) } },
    class: 'sigkill-unknown',
    confidence: 'likely',
    not: { ending: { ...exit(137), tail: vitals(0) } },
    otherwise: 'sigkill-unknown',
  },
]
