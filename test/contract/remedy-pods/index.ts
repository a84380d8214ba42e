import { describe, expect, it } from 'vitest'
import type { RemedyPods } from '../../../src/ports/remedy-gitlab.ts'

/** Pods of a cluster that has `ci/one` and `else/two`, and a way to change the first behind their back. */
export interface RemedyPodsKit {
  readonly pods: RemedyPods
  change(): void
}

const never = new AbortController().signal
const one = { namespace: 'ci', name: 'one' }

export function remedyPodsContract(open: () => Promise<RemedyPodsKit>): void {
  const found = async ({ pods }: RemedyPodsKit) => {
    const pod = await pods.readPod(one, never)
    if (pod === null) throw new Error('ci/one is not there')
    return { ...one, uid: pod.uid, resourceVersion: pod.resourceVersion }
  }

  describe('pods as a remedy of GitLab Runner needs them', () => {
    it('are listed from every namespace', async () => {
      const { pods } = await open()
      const reading = await pods.listPods(never)
      expect(reading.pods.map(({ namespace, name }) => `${namespace}/${name}`).sort()).toEqual([
        'ci/one',
        'else/two',
      ])
      expect(reading.at).toBeGreaterThan(0)
    })

    it('are null where there is none', async () => {
      const { pods } = await open()
      expect(await pods.readPod({ namespace: 'ci', name: 'none' }, never)).toBeNull()
    })

    it('are removed in exactly the state that is named, one at a time', async () => {
      const kit = await open()
      expect(await kit.pods.removePod(await found(kit), never)).toBe('removed')
      const left = await kit.pods.readPod(one, never)
      expect(left === null || left.deletedAt !== null).toBe(true)
      expect((await kit.pods.listPods(never)).pods.map(({ name }) => name)).toContain('two')
    })

    it('stay where they changed meanwhile, or are others', async () => {
      const kit = await open()
      const before = await found(kit)
      expect(await kit.pods.removePod({ ...before, uid: 'another' }, never)).toBe('conflict')
      kit.change()
      expect(await kit.pods.removePod(before, never)).toBe('conflict')
      expect((await kit.pods.readPod(one, never))?.deletedAt).toBeNull()
    })

    it('that are not there are gone', async () => {
      const { pods } = await open()
      const none = { namespace: 'ci', name: 'none', uid: 'u', resourceVersion: '1' }
      expect(await pods.removePod(none, never)).toBe('gone')
    })
  })
}
