import { rule } from '../rule.ts'

/** Polls are held for half a minute: an idle runner that asked for nothing this long will not ask again. */
const silentMs = 2 * 60_000

/** A process that lives and does nothing: frozen, or cut off from us. It must not count as capacity for ever. */
export const silentRunner = rule({
  name: 'silent-runner',
  why: 'An idle runner has not asked for work for long: it hangs, and jobs wait behind it.',
  on: 'runner',
  needs: { hosted: 30_000 },
  concerns: ({ runner, hasOpenAttempt }, now) =>
    !hasOpenAttempt &&
    ((runner.state === 'polling' && now >= (runner.polledAt ?? runner.createdAt) + silentMs) ||
      (runner.state === 'booting' && now >= runner.checkAt)),
  act: ({ runner }, { hosted }) => {
    if (hosted?.kind !== 'running') return null
    const reason = 'it did not ask for work'
    return [
      { kind: 'fence', runnerId: runner.id, reason },
      { kind: 'stop-runner', runnerName: runner.name, reason },
    ]
  },
})
