import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Case } from '../bench.ts'
import { holdfast } from '../holdfast.ts'
import { type Json, namespace } from '../stage/stage.ts'
import { peopleToken } from '../stand-in/gitlab.ts'

/** More than the audit grants to clocks that differ. */
const apartMs = 62_000
const mergePatch = 'application/merge-patch+json'

/** In this order: each begins where the one before it ended. */
export const orphanCases: Readonly<Record<string, Case>> = {
  async 'a manager killed by SIGKILL: its pods run on, and are one finding that names the gated remedy'(
    bench,
  ) {
    const { stage, auditor, folder, jobs } = bench
    const pod = await jobs.orphan.pod
    await jobs.nested.pod
    const youngest = Math.max(
      ...(await pods(bench)).map((each) => Date.parse(each.metadata.creationTimestamp)),
    )
    await sleep(Math.max(0, youngest + apartMs - Date.now()))
    await stage.killManager()
    assert.equal((await podNow(bench))?.status.phase, 'Running')
    assert.equal(jobs.orphan.job.status, 'running')
    const { out, err } = await holdfast(folder, ['audit', 'gitlab', '--kubeconfig', auditor, '--json'])
    const findings = JSON.parse(out).findings.filter((each: Json) => each.subject.namespace === namespace)
    assert.deepEqual(
      findings.map((each: Json) => [each.class, each.subject.kind]),
      [['orphaned-job-pods', 'namespace']],
      out + err,
    )
    assert.match(JSON.stringify(findings[0].evidence), new RegExp(pod.metadata.name))
    assert.equal(
      findings[0].nextAllowedAction.command,
      `holdfast fix gitlab-orphans --namespace ${namespace}`,
    )
  },

  async 'an orphan whose script may still work is not planned: not by the cluster alone, nor while GitLab calls it running'(
    bench,
  ) {
    const alone = await fix(bench, chosen)
    assert.equal(alone.code, 0, alone.err)
    assert.match(
      flat(alone.out),
      /No job pod has lost its manager.*build running, helper running: its job may go on; GitLab was not asked/,
    )
    const asked = await fix(bench, [...chosen, ...at(bench)])
    assert.match(flat(asked.out), /job-over: 127\.0\.0\.1:\d+: job \d+ is running/)
    const refused = await fix(bench, [...chosen, ...at(bench)], { HOLDFAST_GITLAB_TOKEN: 'glpat-another' })
    assert.match(flat(refused.out), /its facts could not be read: .* it answered 401/)
    assert.ok(!refused.out.includes('glpat-another'))
  },

  async 'an orphan whose job GitLab calls running again after the plan is not touched, nor one that changed'(
    bench,
  ) {
    const { stage, jobs } = bench
    jobs.orphan.job.status = 'failed'
    const first = await planned(bench)
    jobs.orphan.job.status = 'running'
    const again = await fix(bench, ['--apply', first, ...at(bench)])
    assert.equal(again.code, 8, again.out)
    assert.match(again.out, /job-over/)
    jobs.orphan.job.status = 'failed'
    const second = await planned(bench)
    const { name } = (await jobs.orphan.pod).metadata
    const patch = { metadata: { annotations: { 'holdfast.test/changed': 'yes' } } }
    await stage.cluster.api.request('PATCH', `${podsPath}/${name}`, patch, mergePatch)
    const changed = await fix(bench, ['--apply', second, ...at(bench)])
    assert.equal(changed.code, 8, changed.out)
    assert.match(changed.out, /same-object/)
    assert.equal((await podNow(bench))?.status.phase, 'Running')
  },

  async 'an orphan whose job is over goes, alone, and the trail holds'(bench) {
    const { jobs, folder, say } = bench
    const hash = await planned(bench)
    const { code, out, err } = await fix(bench, ['--apply', hash, ...at(bench)])
    say(out)
    assert.equal(code, 0, out + err)
    assert.equal(await podNow(bench), undefined)
    const left = (await pods(bench)).map((each) => each.metadata.name)
    assert.ok(left.includes((await jobs.nested.pod).metadata.name), 'the other orphan, whose job still runs')
    assert.equal((await holdfast(folder, ['trail', 'verify'])).code, 0)
    assert.equal((await fix(bench, ['--apply', hash, ...at(bench)])).code, 5)
  },
}

const podsPath = `/api/v1/namespaces/${namespace}/pods`
const chosen = ['--namespace', namespace]
const at = ({ stage }: Bench): readonly string[] => ['--gitlab-url', stage.gitlab.url]

function fix(
  { folder, operator }: Bench,
  args: readonly string[],
  env = { HOLDFAST_GITLAB_TOKEN: peopleToken },
) {
  return holdfast(folder, ['fix', 'gitlab-orphans', ...args, '--kubeconfig', operator], env)
}

async function planned(bench: Bench): Promise<string> {
  const { out, err } = await fix(bench, [...chosen, ...at(bench)])
  const [, hash] = /--apply ([0-9a-f]{64})/.exec(out) ?? []
  if (hash === undefined) throw new Error(`no plan: ${out}${err}`)
  return hash
}

/** Without the breaks that fit it to a terminal. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Job pods that are there. */
async function pods({ stage }: Bench): Promise<readonly Json[]> {
  const { body } = await stage.cluster.api.request('GET', podsPath)
  return body.items.filter(({ metadata }: Json) => metadata.name.startsWith('runner-'))
}

async function podNow(bench: Bench): Promise<Json | undefined> {
  const { uid } = (await bench.jobs.orphan.pod).metadata
  return (await pods(bench)).find(({ metadata }) => metadata.uid === uid)
}
