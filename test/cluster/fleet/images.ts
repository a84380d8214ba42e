import {
  makePollerImage,
  makeSimRunnerImage,
  pollerImage,
  simRunnerCommand,
  simRunnerImage,
} from '../images/index.ts'
import type { Cluster } from '../index.ts'
import { prepareMachine } from '../machine/needs.ts'

/** Puts on every node what whole jobs need: what asks for a job, and what runs it. */
export async function loadFleetImages(cluster: Cluster) {
  const { busybox } = await prepareMachine(() => {})
  await cluster.load(await makePollerImage(busybox))
  await cluster.load(await makeSimRunnerImage(busybox))
  return { poller: pollerImage, runner: simRunnerImage, runnerCommand: simRunnerCommand }
}
