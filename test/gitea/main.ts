import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../../src/main/machine/free-port.ts'
import { cgroupsOf, leftovers, processesOf, removeUsers } from '../support/leftovers.ts'
import { createChecks } from './checks.ts'
import { meetPeople } from './people.ts'
import {
  type BuiltGitea,
  buildGitea,
  type GiteaRelease,
  giteaReleases,
  prepareGitea,
  releaseVariable,
} from './server/index.ts'
import { compare } from './story/compare.ts'
import { holdfastIn } from './story/holdfast.ts'
import { openHookLine } from './story/hook-line.ts'
import { repositories } from './story/scene.ts'
import { runStory } from './story/story.ts'
import { until } from './story/until.ts'

/*
 * `npm run test:gitea`: a real Gitea, the contract of the forge port against it, and whole jobs that the real program
 * serves while runners, Holdfast and Gitea are killed and webhooks are lost.
 *   --release 1.26|1.27 (both unless given)   --only story|contract   --keep (the folders with data and logs)
 *   --story 1.26|1.27 (of these releases only that one runs whole jobs, the others the contract: CI's short form)
 */
const { values } = parseArgs({
  options: {
    release: { type: 'string' },
    only: { type: 'string' },
    story: { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const logLines = 80
const groupGoneWithinMs = 5_000
/** Eight beats of a runner; shorter than the long outage of the story. */
const killedRunnersFailAfter = '8s'

const say = (line: string): void => console.log(line)
const began = performance.now()
const checks = createChecks(say)
let root = ''
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await endAll()
    await rm(root, { recursive: true, force: true, maxRetries: 3 })
    process.exit(130)
  })
}
const chosen = giteaReleases.filter((each) => each === (values.release ?? each))
const isKnown = values.story === undefined || chosen.some((each) => each === values.story)
const asked = isKnown ? chosen : []
if (asked.length === 0) {
  const { release = 'both', story = 'all' } = values
  say(`--release, --story: expected ${giteaReleases.join(' or ')}, got ${release}, ${story}`)
}
for (const release of asked) await checks.check(`Gitea ${release} can be tried`, () => tryRelease(release))
say(`in ${Math.round((performance.now() - began) / 1000)} s`)
say(`${checks.tally.passed} passed, ${checks.tally.failed} failed`)
process.exitCode = checks.tally.failed === 0 && asked.length > 0 ? 0 : 1

async function tryRelease(release: GiteaRelease): Promise<void> {
  const built = await buildGitea(release, say)
  say(`Gitea ${built.version} is built`)
  const failedBefore = checks.tally.failed
  root = await mkdtemp(path.join(tmpdir(), 'holdfast-gitea-'))
  await chmod(root, 0o755) // the embedded server's user must be able to enter it
  if (values.only !== 'story') await contract(release)
  if (values.only !== 'contract' && (values.story ?? release) === release) await story(built)
  await endAll()
  if (checks.tally.failed > failedBefore || values.keep) say(`Data and logs are kept in ${root}`)
  else await rm(root, { recursive: true, force: true, maxRetries: 3 })
}

/** After a clean end there is nothing left to end. */
async function endAll(): Promise<void> {
  for (const { pid } of await processesOf(root)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself meanwhile.
    }
  }
  for (const group of await cgroupsOf(path.join(root, 'data'))) await removeGroup(group)
  await removeUsers(path.join(root, 'data'))
}

/** A group goes when its processes have gone, which the kernel takes a moment for. */
async function removeGroup(group: string): Promise<void> {
  for (const entry of await readdir(group, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await removeGroup(path.join(group, entry.name))
  }
  await until(`${group} is empty`, groupGoneWithinMs, () => rmdir(group).then(() => true, isGone)).catch(
    () => {},
  )
}

function isGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOENT'
}

async function contract(release: GiteaRelease): Promise<void> {
  say(`The contract of the Forge port against Gitea ${release}`)
  await checks.check('every test of the contract holds', async () => {
    const program = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
    const config = fileURLToPath(new URL('./vitest.config.ts', import.meta.url))
    const env = { ...process.env, TMPDIR: root, [releaseVariable]: release }
    const child = spawn(process.execPath, [program, 'run', '--config', config], { stdio: 'inherit', env })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`vitest ended with ${code}`)
  })
}

async function story(built: BuiltGitea): Promise<void> {
  say(`Whole jobs on Gitea ${built.version}`)
  const failedBefore = checks.tally.failed
  const folders = Object.fromEntries(['gitea', 'data', 'pids'].map((name) => [name, path.join(root, name)]))
  for (const folder of Object.values(folders)) await mkdir(folder as string)
  const { gitea, data, pids } = folders as Record<'gitea' | 'data' | 'pids', string>
  await chmod(pids, 0o777) // jobs write there, each as a user of its own
  const server = await prepareGitea(built, gitea, killedRunnersFailAfter)
  const port = await freePort('127.0.0.1')
  const hooks = await openHookLine(`http://127.0.0.1:${port}/webhooks/forge`)
  const logFile = path.join(root, 'holdfast.log')
  try {
    await server.start()
    const people = await meetPeople(server)
    await people.createOrganisation('acme')
    for (const repository of repositories) await people.createRepository(repository)
    const webhookSecret = randomBytes(16).toString('hex')
    await people.addWebhook(hooks.url, webhookSecret)
    const place = { dataDir: data, logFile, port, giteaUrl: server.url, token: people.token, webhookSecret }
    const holdfast = holdfastIn(place)
    await holdfast.start()
    await runStory({ server, people, holdfast, hooks, pids }, checks)
    const { jobs } = await compare(people, holdfast.url, repositories)
    const { passed, dropped, refused } = hooks.tally
    say(`  ${jobs} jobs; webhooks: ${passed} passed, ${dropped} dropped, ${refused} while Holdfast was down`)
    await checks.check('it ends cleanly, and nothing of it is left', async () => {
      const code = await holdfast.end()
      const left = await leftovers(data)
      if (code !== 0 || left.length > 0) throw new Error(`exit code ${code}; left: ${left.join('; ')}`)
    })
  } catch (error) {
    await checks.check('the story runs to its end', () => Promise.reject(error))
  } finally {
    await server.stop()
    await hooks[Symbol.asyncDispose]()
  }
  if (checks.tally.failed > failedBefore) {
    const log = await readFile(logFile, 'utf8').catch(() => '')
    say(
      log
        .split('\n')
        .slice(-logLines)
        .map((line) => line.slice(0, 600))
        .join('\n'),
    )
  }
}
