import { describe, expect, it } from 'vitest'
import type { ObjectRef } from '../../../src/domain/snapshot/index.ts'
import type { KeyCopy, RemedySecrets } from '../../../src/ports/remedy-secrets.ts'

type Data = Readonly<Record<string, string>>

interface Opened {
  readonly secrets: Pick<RemedySecrets, 'readSecret' | 'copyKeys'>
  /** Somebody else writes a Secret. */
  put(place: ObjectRef, data: Data): void
  /** Plain values; undefined: there is no such Secret. */
  data(place: ObjectRef): Data | undefined
  /** The next write takes effect, and its answer is lost. */
  loseNextAnswer(): void
}

const never = new AbortController().signal
const from = { namespace: 'arc-runners', name: 'github-app' }
const to = { namespace: 'arc-systems', name: 'github-app' }
const keys = ['github_token', 'github_app_id']

/** The contract of a cluster's Secrets: the real one and its twin keep it. */
export function remedySecretsContract(open: () => Promise<Opened>): void {
  describe('keys that are copied', () => {
    const opened = async (target: Data | null) => {
      const cluster = await open()
      cluster.put(from, { github_token: 'planted-1', mine: 'planted-2' })
      if (target !== null) cluster.put(to, target)
      const stateOf = async (place: ObjectRef) => {
        const { uid, resourceVersion } = (await cluster.secrets.readSecret(place, '', never))?.secret ?? {}
        if (uid === undefined || resourceVersion === undefined) throw new Error('it is there')
        return { uid, resourceVersion }
      }
      const source = { ...from, ...(await stateOf(from)) }
      const copy = (state: KeyCopy['to']['state'], names = keys) =>
        cluster.secrets.copyKeys({ keys: names, from: source, to: { ...to, state } }, never)
      return { ...cluster, stateOf, copy }
    }

    it('are equal then, by their hashes; keys that were not named stay as they are', async () => {
      const { copy, stateOf, data, secrets } = await opened({ github_app_id: 'old', theirs: 'stays' })
      expect(await copy(await stateOf(to))).toBe('copied')
      expect(data(to)).toEqual({ github_token: 'planted-1', theirs: 'stays' })
      const hashes = await Promise.all(
        [from, to].map(async (place) => (await secrets.readSecret(place, 'salt', never))?.secret.keys),
      )
      const [first, second] = hashes.map((each) => each?.find(({ name }) => name === 'github_token')?.hash)
      expect([typeof first, first]).toEqual(['string', second])
    })

    it('make a Secret that must not be there, of those keys alone', async () => {
      const { copy, data } = await opened(null)
      expect(await copy(null)).toBe('copied')
      expect(data(to)).toEqual({ github_token: 'planted-1' })
      expect(await copy(null)).toBe('conflict')
    })

    it('are written over exactly the named state', async () => {
      const { copy, stateOf, put, data } = await opened({ github_token: 'old' })
      const state = await stateOf(to)
      expect(await copy({ ...state, uid: 'another' })).toBe('gone')
      put(to, { github_token: 'theirs' })
      expect(await copy(state)).toBe('conflict')
      expect(data(to)).toEqual({ github_token: 'theirs' })
    })

    it('are those of exactly the named source', async () => {
      const { copy, put, data } = await opened(null)
      expect(await copy(null, ['not-there'])).toBe('conflict')
      put(from, { github_token: 'newer' })
      expect(await copy(null)).toBe('conflict')
      expect(data(to)).toBeUndefined()
    })

    it('may have been written where the answer is lost', async () => {
      const { copy, data, loseNextAnswer } = await opened(null)
      loseNextAnswer()
      expect(await copy(null)).toBe('unknown')
      expect(data(to)).toEqual({ github_token: 'planted-1' })
    })
  })
}
