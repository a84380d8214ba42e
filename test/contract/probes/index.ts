import { describe, expect, it } from 'vitest'
import { type LaneReading, probeMarks, probePlace } from '../../../src/domain/remedy/index.ts'
import type { ObjectRef, PodFact } from '../../../src/domain/snapshot/index.ts'
import type { ProbeOrder, Probes } from '../../../src/ports/probes.ts'

interface Opened {
  readonly probes: Probes
  readonly lane: ObjectRef
  /** Somebody gives the lane another spec. */
  changeLane(): void
  /** Somebody writes the pod, as its kubelet does. */
  writePod(place: ObjectRef): void
  /** The next write takes effect, and its answer is lost. */
  loseNextAnswer(): void
}

const never = new AbortController().signal

/** The contract of what makes and removes pods of probes: the real one and its twin keep it. */
export function probesContract(open: () => Promise<Opened>): void {
  const opened = async () => {
    const { probes, lane, ...rest } = await open()
    const { set, generation } = (await probes.readLane(lane, never)) as LaneReading
    const place = probePlace('nix-cache', lane.namespace)
    const order: ProbeOrder = {
      ...{ kind: 'nix-cache', probeId: 'a1', node: null, registry: null, deadlineSeconds: 60 },
      lane: { ...lane, uid: set.uid, generation },
    }
    const read = async () => (await probes.readPod(place, never)) as PodFact
    return { probes, lane, place, order, read, ...rest }
  }

  describe('a pod of a probe', () => {
    it('is made with its marks, under the one name of its kind', async () => {
      const { probes, place, order, read } = await opened()
      expect(await probes.readPod(place, never)).toBeNull()
      expect(await probes.make(order, never)).toBe('made')
      expect(probeMarks(await read())).toEqual({ kind: 'nix-cache', id: 'a1', deadlineSeconds: 60 })
    })

    it('is not made a second time, and the first stays', async () => {
      const { probes, order, read } = await opened()
      await probes.make(order, never)
      expect(await probes.make({ ...order, probeId: 'b2' }, never)).toBe('exists')
      expect(probeMarks(await read())?.id).toBe('a1')
    })

    it('is not made from another spec of the lane, nor from another lane of its name', async () => {
      const { probes, place, order, changeLane } = await opened()
      expect(await probes.make({ ...order, lane: { ...order.lane, uid: 'other' } }, never)).toBe('conflict')
      changeLane()
      expect(await probes.make(order, never)).toBe('conflict')
      expect(await probes.readPod(place, never)).toBeNull()
    })

    it('may have been made where the answer is lost', async () => {
      const { probes, order, read, loseNextAnswer } = await opened()
      loseNextAnswer()
      expect(await probes.make(order, never)).toBe('unknown')
      expect(probeMarks(await read())?.id).toBe('a1')
    })

    it('is removed in exactly the state that was read', async () => {
      const { probes, place, order, read, writePod } = await opened()
      await probes.make(order, never)
      const { uid, resourceVersion } = await read()
      writePod(place)
      const target = { ...place, uid, resourceVersion }
      expect(await probes.remove(target, never)).toBe('conflict')
      expect(await probes.remove({ ...target, uid: 'other' }, never)).toBe('conflict')
      const again = { ...place, uid, resourceVersion: (await read()).resourceVersion }
      expect(await probes.remove(again, never)).toBe('removed')
      expect(await probes.remove(again, never)).toBe('gone')
    })
  })
}
