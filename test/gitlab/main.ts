import assert from 'node:assert/strict'
import { buildBinaries } from '../cluster/binaries/build.ts'
import { prepareMachine } from '../cluster/machine/needs.ts'
import { endAbandoned, endSuite } from '../cluster/testing/names.ts'
import { temporaryFolder } from '../support/temporary.ts'
import type { Bench, Case } from './bench.ts'
import { buildGitlabRunner } from './binaries/build.ts'
import { endCases } from './cases/ends.ts'
import { limitCases } from './cases/limits.ts'
import { orphanCases } from './cases/orphan.ts'
import { tomlCases } from './cases/toml.ts'
import { beginJobs } from './jobs.ts'
import { accountOf } from './stage/rights.ts'
import { namespace, openStage } from './stage/stage.ts'

/*
 * `npm run test:gitlab`: the real GitLab Runner, built from its sources, as manager on a real Kubernetes, making real job pods.
 * GitLab itself is a stand-in: the API that runners talk to, and the page of one job.
 */
const cases: Readonly<Record<string, Case>> = {
  ...tomlCases,
  ...limitCases,
  ...endCases,
  ...orphanCases,
  async 'the stand-in for GitLab knew every call that was made'({ stage }) {
    assert.deepEqual(stage.gitlab.strange, [])
  },
}
const say = (line: string): void => console.log(line)
const opened: AsyncDisposable[] = []
const problems: (string | null)[] = []

try {
  const { busybox } = await prepareMachine(say)
  await buildBinaries(say)
  const binaries = await buildGitlabRunner(say)
  await endAbandoned(say)
  const folder = await temporaryFolder('holdfast-gitlab-')
  opened.push(folder)
  const stage = await openStage(binaries, busybox, say)
  opened.push(stage)
  const jobs = beginJobs(stage)
  const rights = { namespace, folder: folder.path }
  const auditor = await accountOf(stage.cluster, { file: 'audit-rbac.yaml', ...rights })
  opened.push(auditor)
  const operator = await accountOf(stage.cluster, { file: 'remedy-gitlab-rbac.yaml', ...rights })
  opened.push(operator)
  const bench = {
    ...{ stage, jobs, say, folder: folder.path },
    ...{ auditor: auditor.kubeconfig, operator: operator.kubeconfig },
  }
  for (const name of Object.keys(cases)) await judge(name, bench)
} catch (error) {
  problems.push(`the run itself: ${error instanceof Error ? error.stack : error}`)
}
for (const each of opened.reverse()) await each[Symbol.asyncDispose]()
await endSuite(`${process.pid}`)
const failed = problems.filter((problem) => problem !== null)
for (const problem of failed) say(`FAIL ${problem}`)
say(`${problems.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1

async function judge(name: string, bench: Bench): Promise<void> {
  const began = performance.now()
  const took = (): string => `${Math.round((performance.now() - began) / 1_000)} s`
  try {
    await cases[name]?.(bench)
    problems.push(null)
    say(`ok   ${name} (${took()})`)
  } catch (error) {
    problems.push(`${name}: ${error instanceof Error ? error.stack : error}`)
    say(`FAIL ${name} (${took()})`)
  }
}
