import type { RunnerFact } from '../../snapshot/index.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { ForgeReading } from '../reading.ts'
import type { RecheckFacts } from '../remedy.ts'
import {
  finalizerOfArc,
  noJobInCluster,
  notBusyAtForge,
  runnerOf,
  sameObject,
  startedContainer,
} from '../runner/rechecks.ts'
import type { ListenerBlockerFacts } from './facts.ts'
import { blockersOf, reasonNotBlocking } from './select.ts'

type Facts = RecheckFacts<ListenerBlockerFacts>

const stillBlocking: Gate<Facts> = {
  name: 'still-blocking',
  why: 'Where the set has its listener again, its runners are warm capacity, and stay.',
  judge(facts) {
    const runner = runnerOf(facts)
    if (runner === null) return fail('there is no such object any more')
    const reason = reasonNotBlocking(facts.reading, runner)
    return reason === null ? pass('its set has no listener, and it runs without a job') : fail(reason)
  },
}

const allFree: Gate<Facts> = {
  name: 'all-free',
  why: 'Without a listener, an empty job field proves nothing: one runner that is busy keeps the listener away by right, and then no other need go.',
  judge({ reading, answers }) {
    const blockers = blockersOf(reading)
    const open = blockers.filter((runner) => !isFree(runner, answers[runner.name]))
    const names = open.map(({ name }) => name).join(', ')
    return open.length === 0
      ? pass(`the forge calls all ${blockers.length} free`)
      : fail(`the forge does not call free: ${names}`)
  },
}

/** One that is being deleted may have left the forge's list already. */
function isFree({ deletedAt }: RunnerFact, answer: ForgeReading | undefined): boolean {
  if (answer === undefined) return false
  return answer.runner === null ? deletedAt !== null : !answer.runner.isBusy
}

const notRemade: Gate<Facts> = {
  name: 'not-remade',
  why: 'Where ARC makes runners again, removing more of them gains nothing.',
  judge({ reading, plan }) {
    const made = reading.runners.find(({ uid }) => !plan.scope.known.includes(uid))
    return made === undefined
      ? pass('no runner was made since the plan')
      : fail(`${made.name} was made since the plan`)
  },
}

/** Asked about each runner immediately before it is deleted; every one must pass. */
export const rechecks: readonly Gate<Facts>[] = [
  sameObject,
  stillBlocking,
  notRemade,
  noJobInCluster,
  notBusyAtForge,
  allFree,
  startedContainer,
  finalizerOfArc,
]
