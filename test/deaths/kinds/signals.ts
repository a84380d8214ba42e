import type { DeathClass } from '../../../src/domain/death/index.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { launched } from './programs.ts'

const fromInside: readonly (readonly [signal: string, gives: DeathClass])[] = [
  ['KILL', 'sigkill-unknown'],
  ['TERM', 'terminated'],
  ['SEGV', 'crash'],
  ['ABRT', 'crash'],
  ['BUS', 'crash'],
  ['ILL', 'crash'],
  ['FPE', 'crash'],
]

export const signalKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'kill-from-host',
    how: 'kill -9 of its program, from its node',
    classes: ['sigkill-unknown'],
    cause: async (stage) => {
      const name = await stage.running()
      await stage.signal(name, 'SIGKILL')
      return name
    },
  },
  ...fromInside.map(
    ([signal, gives]): DeathKind<PodStage> => ({
      name: `${signal.toLowerCase()}-from-inside`,
      how: `its job sends SIG${signal} to the runner's program`,
      classes: [gives],
      pool: launched,
      cause: (stage) => stage.running(`sleep 1; kill -${signal} $PPID; sleep 60`),
      holds: ({ because }) =>
        because.join(' ').includes(`SIG${signal}`) ? null : `it does not name SIG${signal}`,
    }),
  ),
]
