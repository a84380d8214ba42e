import { describe, expect, it } from 'vitest'
import type { ArcNudges } from '../../../src/ports/arc-nudges.ts'
import type { RemedyCluster } from '../../../src/ports/remedy.ts'

interface Opened {
  readonly nudges: ArcNudges
  readonly cluster: Pick<RemedyCluster, 'readSet'>
  /** A set in the phase Outdated, and a runner of it. */
  readonly place: { readonly namespace: string; readonly name: string }
  /** Somebody else writes the runner. */
  writeRunner(name: string): void
  loseNextAnswer(): void
}

const never = new AbortController().signal

/** The contract of every ArcNudges: the real one and its twin keep it. */
export function arcNudgesContract(open: () => Promise<Opened>): void {
  const opened = async () => {
    const each = await open()
    const { set, runners } = await each.cluster.readSet(each.place, never)
    const [runner] = runners
    if (set === null || runner === undefined) throw new Error('there is a set with a runner')
    const phase = async () => (await each.cluster.readSet(each.place, never)).set?.phase
    return { ...each, set, runner, phase }
  }

  describe('nudges of ARC', () => {
    it('take the phase of a set back, in exactly the state that was read', async () => {
      const { nudges, set, phase } = await opened()
      expect(await nudges.resetPhase({ ...set, resourceVersion: '999' }, never)).toBe('conflict')
      expect(await phase()).toBe('Outdated')
      expect(await nudges.resetPhase(set, never)).toBe('nudged')
      expect(await phase()).not.toBe('Outdated')
    })

    it('note on a runner which state was looked at, and leave its finalizers', async () => {
      const { nudges, cluster, place, runner } = await opened()
      expect(await nudges.readTouch(runner, never)).toBeNull()
      expect(await nudges.touchRunner(runner, never)).toBe('nudged')
      expect(await nudges.readTouch(runner, never)).toBe(runner.resourceVersion)
      const [after] = (await cluster.readSet(place, never)).runners
      expect(after?.finalizers).toEqual(runner.finalizers)
      expect(after?.resourceVersion).not.toBe(runner.resourceVersion)
    })

    it('are not written where somebody else wrote the runner, or made it again', async () => {
      const { nudges, runner, writeRunner } = await opened()
      expect(await nudges.touchRunner({ ...runner, uid: 'another' }, never)).toBe('gone')
      writeRunner(runner.name)
      expect(await nudges.touchRunner(runner, never)).toBe('conflict')
      expect(await nudges.readTouch(runner, never)).toBeNull()
      expect(await nudges.readTouch({ ...runner, name: 'nobody' }, never)).toBeNull()
    })

    it('may have been written where the answer is lost', async () => {
      const { nudges, runner, loseNextAnswer } = await opened()
      loseNextAnswer()
      expect(await nudges.touchRunner(runner, never)).toBe('unknown')
      expect(await nudges.readTouch(runner, never)).toBe(runner.resourceVersion)
    })
  })
}
