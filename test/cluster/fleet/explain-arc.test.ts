import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Explanation, explanationSchema } from '../../../src/api/index.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { type Cluster, nodeName, up } from '../index.ts'
import { suiteName } from '../testing/names.ts'
import { type Arc, arcNamespace, asReader, jit, openArc } from './arc.ts'

const holdfast = fileURLToPath(new URL('../../../bin/holdfast', import.meta.url))
const only = ['get', 'list', 'watch']
const readAll = [
  { apiGroups: [''], resources: ['pods', 'pods/log', 'events', 'nodes'], verbs: only },
  { apiGroups: ['actions.github.com'], resources: ['*'], verbs: only },
]
const readPods = [{ apiGroups: [''], resources: ['pods'], verbs: only }]
const job = {
  phase: 'Running',
  jobRepositoryName: 'acme/web',
  jobDisplayName: 'build',
  workflowRunId: 31,
  jobId: 'f3b0c442',
  jobRequestId: 17,
  jobWorkflowRef: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
}
const hasEnded = (pod: { status: { phase: string } } | null) => pod?.status.phase === 'Failed'
const isRunning = (pod: { status: { phase: string } } | null) => pod?.status.phase === 'Running'
const name = (word: string) => `my-set-x7k2p-runner-${word}`

describe('explain, for runners of ARC', () => {
  let cluster: Cluster
  let arc: Arc
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let reader: string
  let podReader: string

  beforeAll(async () => {
    folder = await temporaryFolder('holdfast-explain-arc-')
    cluster = await up({ name: suiteName('explain-arc') }, (line) => console.log(line))
    arc = await openArc(cluster)
    reader = await asReader(cluster, 'reader', readAll, path.join(folder.path, 'reader'))
    podReader = await asReader(cluster, 'pod-reader', readPods, path.join(folder.path, 'pod-reader'))
  })
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
    await folder?.[Symbol.asyncDispose]()
  })

  /** The command as people type it, with nothing of ours around it. */
  async function explain(...args: readonly string[]) {
    return run(['explain', ...args], { KUBECONFIG: reader })
  }

  async function run(args: readonly string[], env: Readonly<Record<string, string>>) {
    const child = spawn(holdfast, args, {
      env: { PATH: process.env.PATH, HOME: folder.path, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ])
    for (const shown of [out, err]) for (const piece of piecesOf(jit)) expect(shown).not.toContain(piece)
    return { code, out, err }
  }

  async function explained(
    ...args: readonly string[]
  ): Promise<Explanation & { readonly code: number | null }> {
    const { code, out, err } = await explain(...args, '--json')
    if (out === '') throw new Error(`exit code ${code}: ${err}`)
    return { ...explanationSchema.parse(JSON.parse(out)), code }
  }

  it('proves an OOM by the word of the kubelet, and shows each fact with source and age', async () => {
    const oom = name('oom00')
    await arc.runner(oom, job)
    await arc.pod(oom, '', {
      container: { command: ['tail', '/dev/zero'], resources: { limits: { memory: '32Mi' } } },
    })
    await arc.until(oom, hasEnded)
    const found = await explained('--namespace', arcNamespace, oom)
    expect(found).toMatchObject({
      code: 0,
      isReached: true,
      sealed: null,
      actionsTaken: [],
      subject: { kind: 'pod', title: `Pod ${arcNamespace}/${oom}` },
      verdict: { class: 'container-oom', confidence: 'likely' },
      job: { id: null, repository: 'acme/web', name: 'build', forge: 'run 31' },
      pod: { namespace: arcNamespace, pod: oom, node: nodeName(1) },
    })
    expect(found.verdict?.because.join()).toContain('32 MiB')
    const facts = found.evidence.map(
      ({ source, at, text }) => `${source} ${at === null ? '-' : 'at'} ${text}`,
    )
    expect(facts.join('\n')).toMatch(/kubelet at Container runner ended.*exit code 137 \(OOMKilled\)/)
    expect(facts.join('\n')).toContain(`cluster - EphemeralRunner ${oom} is Running`)
    expect(found.timeline.map(({ text }) => text).join('\n')).toMatch(
      /EphemeralRunner .* was made\.(?:.|\n)*was placed on(?:.|\n)*Container runner began\.(?:.|\n)*Container runner ended/,
    )
    const unknown = found.unknown.join('\n')
    for (const what of ['no record was sealed when it ended', 'it was not asked', 'no agent sent anything'])
      expect(unknown).toContain(what)
  })

  it('says the same in 80 columns and as Markdown, by every name that there is for it', async () => {
    const oom = name('oom00')
    const plain = await explain('--namespace', arcNamespace, oom)
    expect([plain.code, plain.err]).toEqual([0, ''])
    expect(Math.max(...plain.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(plain.out).toMatch(/container-oom, likely/)
    expect(plain.out).toMatch(/kubelet.* ago/)
    expect(plain.out.replaceAll(/\s+/g, ' ')).toContain('no record of its end was sealed')
    const markdown = await explain('--namespace', arcNamespace, oom, '--markdown')
    expect([markdown.code, markdown.out]).toEqual([0, expect.stringContaining('container-oom')])
    for (const subject of [`${arcNamespace}/${oom}`, `pod/${oom}`, `runner/${oom}`]) {
      const args = [
        '--kubeconfig',
        reader,
        ...(subject.startsWith(arcNamespace) ? [] : ['--namespace', arcNamespace]),
      ]
      const { code, out } = await run(['explain', ...args, subject, '--json'], {})
      expect([subject, code, JSON.parse(out).verdict.class]).toEqual([subject, 0, 'container-oom'])
    }
  })

  it('reads the words of a runner whose version was refused, and hides its configuration', async () => {
    const old = name('old00')
    await arc.runner(old, job)
    const words = [
      'echo "$ACTIONS_RUNNER_INPUT_JITCONFIG"',
      'echo "$ACTIONS_RUNNER_INPUT_JITCONFIG" | fold -w 76',
      'echo; echo "An error occurred: Runner version v2.300.0 is deprecated and cannot receive messages."; exit 7',
    ]
    await arc.pod(old, words.join('; '))
    await arc.until(old, hasEnded)
    const { code, verdict, tail } = await explained('--namespace', arcNamespace, old)
    expect([code, verdict]).toMatchObject([0, { class: 'runner-outdated', confidence: 'likely' }])
    expect(tail).toContain('v2.300.0 is deprecated')
    expect(tail).toContain('[redacted]')
  })

  it('has no verdict for a runner that runs', async () => {
    const busy = name('busy0')
    await arc.runner(busy, job)
    await arc.pod(busy, 'echo "√ Connected to GitHub"; sleep 600')
    await arc.until(busy, isRunning)
    expect(await explained('--namespace', arcNamespace, busy)).toMatchObject({
      code: 9,
      verdict: null,
      isReached: false,
      summary: 'The pod is there and has not ended: nothing is to be explained yet.',
    })
  })

  it('says that somebody deleted a pod which a finalizer still holds', async () => {
    const gone = name('held0')
    await arc.runner(gone, job)
    await arc.pod(gone, "trap 'exit 143' TERM; sleep 600 & wait", {
      metadata: { finalizers: ['example.com/held'] },
    })
    await arc.until(gone, isRunning)
    await cluster.api.request('DELETE', `/api/v1/namespaces/${arcNamespace}/pods/${gone}`)
    await arc.until(gone, hasEnded)
    const found = await explained('--namespace', arcNamespace, gone)
    expect(found).toMatchObject({ code: 0, verdict: { class: 'deleted', confidence: 'likely' } })
    expect(found.unknown.join('\n')).toContain('who deleted its pod')
    expect(found.evidence.map(({ text }) => text)).toContain('Somebody asked that the pod goes.')
  })

  it('knows of a pod that a person deleted only what its events still say', async () => {
    const gone = name('gone0')
    await arc.runner(gone, job)
    await arc.pod(gone, 'sleep 600')
    await arc.until(gone, isRunning)
    await arc.removePod(gone)
    const found = await explained('--namespace', arcNamespace, gone)
    expect(found).toMatchObject({
      code: 9,
      verdict: null,
      isReached: false,
      job: { repository: 'acme/web' },
      summary: 'The pod is gone, and no record of its end was sealed.',
    })
    expect(found.evidence.map(({ text }) => text)).toContain('Killing: Stopping container runner')
    const unknown = found.unknown.join('\n')
    for (const what of ['its exit code, its containers and its log', 'who asked it to stop'])
      expect(unknown).toContain(what)
  })

  it('knows of pods that are long gone what the EphemeralRunner counts', async () => {
    const failed = name('fail0')
    const uids = ['0a1b2c3d-1111-4222-8333-444455556666', '0a1b2c3d-1111-4222-8333-444455557777']
    await arc.runner(failed, {
      phase: 'Failed',
      reason: 'TooManyPodFailures',
      message: 'Pod has failed to start more than 5 times: ',
      failures: { [uids[1] as string]: '2026-11-16T03:10:00Z', [uids[0] as string]: '2026-11-16T03:00:00Z' },
    })
    const found = await explained('--namespace', arcNamespace, failed)
    expect(found).toMatchObject({ code: 9, verdict: null, runner: { name: failed, state: 'gone' } })
    expect(found.evidence).toMatchObject([
      {
        text: `EphemeralRunner ${failed} is Failed: TooManyPodFailures: Pod has failed to start more than 5 times:`,
      },
      {
        source: 'cluster',
        at: '2026-11-16T03:10:00.000Z',
        text: `EphemeralRunner ${failed} counts 2 failed pods.`,
      },
    ])
    expect(found.unknown).toContain('which job it had')
    expect(found.nextSteps.join()).toContain('let Holdfast run these runners')
  })

  it('knows of a runner of which ARC left nothing only what events say, for as long as they exist', async () => {
    const tidied = name('tidy0')
    await arc.runner(tidied, job)
    await arc.pod(tidied, 'sleep 600')
    await arc.until(tidied, isRunning)
    await arc.removeRunner(tidied)
    const found = await explained('--namespace', arcNamespace, tidied)
    expect(found).toMatchObject({ code: 9, verdict: null, job: null })
    expect(found.timeline.map(({ text }) => text).join('\n')).toContain('Killing: Stopping container runner')
    const events = `/api/v1/namespaces/${arcNamespace}/events`
    await cluster.api.request('DELETE', `${events}?fieldSelector=involvedObject.name=${tidied}`)
    const { code, out, err } = await explain('--namespace', arcNamespace, tidied)
    expect([code, out]).toEqual([6, ''])
    for (const tried of ['the pod', 'the EphemeralRunner', 'events about a pod of this name'])
      expect(err).toContain(tried)
  })

  it('reads as far as one may, and says what one may not', async () => {
    const args = ['explain', '--namespace', arcNamespace, name('oom00'), '--json']
    const { code, out } = await run(args, { KUBECONFIG: podReader })
    const found = explanationSchema.parse(JSON.parse(out))
    expect([code, found.verdict]).toMatchObject([0, { class: 'container-oom', confidence: 'likely' }])
    const unknown = found.unknown.join('\n')
    for (const what of [
      'the output of its container',
      'its events',
      `its node ${nodeName(1)}`,
      'its EphemeralRunner',
    ])
      expect(unknown).toContain(what)
    expect(unknown).toMatch(/forbidden/i)
  })

  it('says that a cluster does not answer, or does not let it read, with other exit codes', async () => {
    const nobody = await asReader(cluster, 'nobody', [], path.join(folder.path, 'nobody'))
    const args = ['explain', '--namespace', arcNamespace, name('oom00')]
    const refused = await run(args, { KUBECONFIG: nobody })
    expect([refused.code, refused.out, refused.err]).toEqual([
      5,
      '',
      expect.stringContaining('E_CLUSTER_REFUSED'),
    ])
    const nowhere = await run(args, { KUBECONFIG: path.join(folder.path, 'not-there') })
    expect([nowhere.out, nowhere.err]).toEqual(['', expect.stringContaining('E_CLUSTER_CONFIG')])
  })

  it('changes nothing', async () => {
    const before = await arc.versions()
    expect(before.length).toBeGreaterThan(8)
    for (const word of ['oom00', 'old00', 'busy0', 'held0', 'gone0', 'fail0'])
      await explain('--namespace', arcNamespace, name(word))
    expect(await arc.versions()).toEqual(before)
  })
})

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

/** Every piece of a secret that is long enough to matter. */
function piecesOf(secret: string): string[] {
  return Array.from({ length: secret.length - 24 }, (_, at) => secret.slice(at, at + 24))
}
