import { setImmediate } from 'node:timers/promises'

/** Others in this process wait no longer than this for us, plus one piece of work. */
const stretchMs = 10

/** Lets others have their turn once we have worked for a while without a pause. */
export function createYielder(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < stretchMs) return undefined
    return setImmediate().then(() => {
      since = performance.now()
    })
  }
}
