import { until } from '../../cluster/machine/until.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'

const endsWithinMs = 60_000

/** Deaths while no Holdfast runs. */
export const awayKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'holdfast-dead-meanwhile',
    how: 'Holdfast is killed, then the runner from its node; Holdfast is started again',
    classes: ['sigkill-unknown'],
    when: 'alone',
    isSeenLate: true,
    cause: async (stage) => {
      const name = await stage.running()
      await stage.holdfast.kill()
      await stage.signal(name, 'SIGKILL')
      await ended(stage, name)
      await stage.holdfast.start()
      return name
    },
  },
]

async function ended(stage: PodStage, name: string): Promise<void> {
  await until(`${name} has ended`, endsWithinMs, async () => {
    const { phase } = (await stage.pod(name)).status
    return phase === 'Failed' || phase === 'Succeeded'
  })
}
