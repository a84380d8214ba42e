import { type Keeper, keeperOf } from '../machine/keeper.ts'
import { runInside } from '../machine/start-part.ts'
import { until } from '../machine/until.ts'
import type { Place } from '../place.ts'

const answersWithinMs = 60_000
const runtimeForm = /^(node-\d+)-containerd$/

/** Starts a part that has ended, as it was. A containerd answers before this returns: a kubelet without one gives up. */
export async function startAgain(place: Place, name: string): Promise<void> {
  const keeper = keeperOf(place)
  await keeper.again(name)
  const node = runtimeForm.exec(name)?.[1]
  if (node !== undefined) await containerdAnswers(place, keeper, node)
}

/** Waits until the containerd of a node answers; `look` may throw first. */
export async function containerdAnswers(
  place: Place,
  keeper: Keeper,
  node: string,
  look: () => Promise<void> = async () => {},
): Promise<void> {
  await until(`containerd of ${node} answers`, answersWithinMs, async () => {
    await look()
    return runInside(place, await keeper.state(), node, ['ctr', '--connect-timeout', '1s', 'version']).then(
      () => true,
      () => false,
    )
  })
}
