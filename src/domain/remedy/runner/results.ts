import { fail, type Gate, pass } from '../gate.ts'
import { hasRunningListener } from '../reading.ts'
import type { ProveFacts, VerifyFacts } from '../remedy.ts'
import type { RunnerFacts } from './facts.ts'

export const goneFromCluster: Gate<VerifyFacts<RunnerFacts>> = {
  name: 'gone-from-cluster',
  why: 'ARC took its finalizers off: the forge has agreed to the removal.',
  judge({ runner }) {
    if (runner === null) return pass('there is no object of its UID any more')
    const held = runner.finalizers.join(', ')
    return fail(
      `still there, deletion ${runner.deletedAt === null ? 'not requested' : `requested; held by ${held}`}`,
    )
  },
}

export const noJobLost: Gate<VerifyFacts<RunnerFacts>> = {
  name: 'no-job-lost',
  why: 'A runner that got a job in the last moment must keep it.',
  judge: ({ forge: { runner } }) =>
    runner?.isBusy === true
      ? fail('the forge calls it busy')
      : pass(runner === null ? 'the forge lists it no more' : 'the forge calls it free'),
}

export const listenerRunning: Gate<ProveFacts<RunnerFacts>> = {
  name: 'listener-running',
  why: 'Without a listener the set takes no jobs.',
  judge: ({ reading }) =>
    hasRunningListener(reading) ? pass('its pod runs') : fail('no listener with a running pod'),
}
