import { until } from '../../cluster/machine/until.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'

const beginsWithinMs = 30_000
const vitals =
  'while :; do echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) RUNNER_VITALS pids=3"; sleep 3; done & "$@"; exit $?'
const connectError =
  'echo "Runner connect error: The HTTP request timed out after 00:01:40. Retrying until reconnected."'

/** Takes the rest of its CPU: otherwise it would learn within a minute that its job is not its own any more, and end. */
const hungryJob = 'for i in 1 2 3; do while :; do :; done & done; sleep 300'

export const cutOffKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'network-cut',
    staged: 'last-words',
    how: 'its pod loses its network while it runs: it says so as its last word, and ends with 2',
    classes: ['network-discontinuity'],
    pool: ({ runnerCommand, forge: { host, port } }) => ({
      command: [
        ...['sh', '-c'],
        `"$@" & while sleep 1; do echo | nc -w 3 ${host} ${port} > /dev/null 2>&1 || break; done; ${connectError}; exit 2`,
        ...['sh', ...runnerCommand],
      ],
    }),
    cause: async (stage) => {
      const name = await stage.running()
      await stage.inNetworkOf(name, ['ip', 'link', 'set', 'eth0', 'down'])
      return name
    },
  },
  {
    name: 'starved',
    how: 'with its job it gets a thousandth of a processor; the forge gives it up while it lives, and Holdfast stops what is left of it',
    classes: ['forge-gave-up'],
    // Without an agent its own vitals are the only evidence of starvation; with one, see fleet/agent.test.ts.
    holds: ({ because }) =>
      /vitals.*were silent for \d+ s around that: it was starved/.test(because.join(' '))
        ? null
        : 'it does not say that the runner was starved',
    pool: ({ runnerCommand }) => ({ command: ['sh', '-c', vitals, 'sh', ...runnerCommand] }),
    cause: async (stage) => {
      const name = await stage.running(hungryJob)
      const log = stage.world.at(`pods/${name}/log?container=runner`)
      await until('its vitals are in its log', beginsWithinMs, async () =>
        (await stage.world.cluster.api.request('GET', log)).text.includes('RUNNER_VITALS'),
      )
      await stage.starve(name)
      return name
    },
  },
]
