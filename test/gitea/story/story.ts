import type { Checks } from '../checks.ts'
import type { GiteaJob } from '../people.ts'
import * as jobs from './jobs.ts'
import * as kills from './kills.ts'
import { createScene, type Ground, type Scene } from './scene.ts'

/** Whole jobs on a real forge, with everything killed on the way. */
export async function runStory(ground: Ground, { check }: Checks): Promise<void> {
  const scene = createScene(ground)
  const [long] = (await scene.push('acme/api', 'long')) as [GiteaJob]
  const chapters = [
    ['jobs with needs, a matrix, failures and refusals run as their workflows say', jobs.runWorkflows],
    ['secrets and masked words do not reach the log', jobs.hideSecrets],
    ['a run that is cancelled while it runs ends its steps and its runner', jobs.cancelRunning],
    ['a runner that is killed leaves a death record, and its job ends', kills.killRunners],
    ['a failed job that is run again is a job of its own here, and ends again', jobs.runAgain],
    ['jobs whose webhooks are all lost are found', kills.loseWebhooks],
    ['Holdfast is killed while jobs run and others come: none is lost', kills.killHoldfast],
    ['Gitea is killed for a short time: jobs go on, and no line of a log is lost', kills.killGiteaShortly],
    ['a long job ends well through all of it', (scene: Scene) => scene.ends('acme/api', long, 'success')],
    ['Gitea is killed for long: it fails what ran', kills.killGiteaForLong],
    [
      'a job cancelled while it waited for a runner, and run again later, is served',
      jobs.runAgainWhatNeverRan,
    ],
    ['Holdfast and Gitea are killed together, in the middle of everything', kills.killBoth],
  ] as const
  for (const [sentence, chapter] of chapters) await check(sentence, () => chapter(scene))
  await check('at the end Gitea and the ledger agree on every job, and none is open', scene.settled)
  await check('no runner is left registered at Gitea', () => kills.noRegistrationIsLeft(scene))
}
