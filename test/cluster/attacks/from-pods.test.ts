import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agentAccount, explain } from '../fleet/agents.ts'
import type { Life } from '../fleet/holdfast.ts'
import { settled } from '../fleet/settled.ts'
import { openWorld, type World } from '../fleet/world.ts'
import { addresses, simRunnerCommand } from '../index.ts'
import { until } from '../machine/until.ts'
import { answersIn, asking, type Request } from './requests.ts'

const soonMs = 60_000
const endedWithinMs = 120_000
const tokenFile = '/var/run/holdfast/token/token'
/** The form of a JIT configuration in any text: base64 of a JSON object. */
const jitForm = /eyJ[A-Za-z0-9+/_-]{60,}/
/** As `deploy/holdfast.yaml` has it: served to pods, and with agents on the nodes. */
const asInTheCluster = { HOLDFAST_HTTP_HOST: '0.0.0.0', HOLDFAST_AGENT_SERVICE_ACCOUNT: agentAccount }
const namespace = '/api/v1/namespaces/attacks'
/** Requests that an attacker would try first with a stolen credential. */
const ofTheCluster = [
  ...[`GET ${namespace}/pods`, `GET ${namespace}/secrets`, 'GET /api/v1/nodes'],
  ...[`POST ${namespace}/pods`, `POST ${namespace}/serviceaccounts/default/token`],
  'POST /apis/authentication.k8s.io/v1/tokenreviews',
]
const ofOperators = [
  ...['GET /', 'GET /metrics', 'GET /v1/jobs', 'GET /v1/runners', 'GET /v1/deaths', 'GET /v1/jobs/1/log'],
  ...['POST /v1/jobs/1/cancel', 'POST /v1/jobs/1/rerun', 'POST /v1/jobs/1/release', 'POST /v1/forge/resync'],
]
const anAttempt = '00000000-0000-4000-8000-000000000000'
const floodSeconds = 25

describe('a job on a real cluster, which tries what it can', () => {
  let world: World
  let life: Life
  /** As pods reach Holdfast. */
  let server: string
  /** Another runner, which waits for a job. */
  let neighbour: string
  beforeAll(async () => {
    world = await openWorld('attacks')
    life = await world.holdfast({ env: asInTheCluster })
    await life.serving
    server = `http://${addresses.control}:${new URL(life.url).port}`
    await world.pool('linux', { idleTimeoutSeconds: 2 })
    await world.pool('mac', { shape: 'single', idleTimeoutSeconds: 2 })
    await world.pool('warm', { minWarm: 1, maxRunners: 1 })
  })
  beforeEach(async () => {
    neighbour = await until('another runner waits for a job', soonMs, async () => {
      return (await world.rows.runners()).find(({ pool, state }) => pool === 'warm' && state === 'polling')
        ?.name
    })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** Runs a script as a job and gives what it printed. */
  async function logOf(script: string, pool = 'linux'): Promise<string> {
    const job = await world.submit(`set +e\n${script}\nexit 0`, pool)
    await settled(world, { warm: 1 })
    expect((await truthOf(job))?.conclusion).toBe('success')
    return world.log(job)
  }
  const truthOf = async (job: number) => (await world.forge.truth()).jobs.find(({ id }) => id === job)
  const podUid = async (name: string): Promise<string> =>
    (await world.cluster.api.request('GET', world.at(`pods/${name}`))).body.metadata.uid

  const requests = (lines: readonly string[], base: string, token?: string): Request[] =>
    lines.map((line) => {
      const [method, at] = line.split(' ') as ['GET' | 'POST', string]
      return { method, url: `${base}${at}`, ...(token !== undefined && { token }) }
    })
  const atApiServer = (token?: string) => requests(ofTheCluster, `https://${addresses.service}`, token)
  const atHoldfast = (token?: string) => requests(ofOperators, server, token)
  const posting = (name: string, at: string, body: object, token?: string): Request => ({
    method: 'POST',
    url: `${server}${at}`,
    body: JSON.stringify(body),
    name,
    ...(token !== undefined && { token }),
  })
  const polling = (name: string, runner: string, token?: string) =>
    posting(name, '/v1/dispatch', { runner }, token)
  /** In the name of the neighbour, and of the agent of its node. */
  const impersonating = (uid: string, token?: string): Request[] => {
    const oomLines = [{ at: 1, line: `oom-kill:/pod${uid}/` }]
    const seen = { samples: [], oomLines, endedAt: 1, lastSampleAgeMs: null, missing: [] }
    return [
      posting('ack', '/v1/dispatch/ack', { runner: neighbour, attempt: anAttempt }, token),
      ...['node-1', 'node-2'].map((node) =>
        posting(`samples of ${node}`, '/v1/agent/rings', { podUid: uid, node, ...seen }, token),
      ),
    ]
  }
  const notRefused = (log: string, expected: number) => {
    const answers = Object.entries(answersIn(log))
    expect(answers).toHaveLength(expected)
    return answers.filter(([, status]) => status !== '401' && status !== '403')
  }
  const everyProcess = `for each in /proc/[0-9]*; do tr '\\0' '\\n' < $each/environ; tr '\\0' '\\n' < $each/cmdline; done`
  const findTokens = `find / \\( -path /proc -o -path /sys \\) -prune -o -name token -print | sed s/^/found=/`

  it('finds no token in any file', async () => {
    const log = await logOf(
      `${findTokens}; ls -A /var/run/secrets | sed s/^/secret=/; ls -A /holdfast; echo looked`,
    )
    expect(log).toContain('looked')
    expect(log).not.toMatch(/found=|secret=/)
  })

  it('finds its configuration in no file, no environment and no arguments', async () => {
    const log = await logOf(
      `${everyProcess}; ls -lA /holdfast/jit | sed s/^/staged=/; ` +
        `find / \\( -path /proc -o -path /sys \\) -prune -o -name '*jitconfig*' -print | sed s/^/found=/; echo looked`,
    )
    expect(log).toContain('HOLDFAST_JIT_FILE=') // it did read the environment of the runner's program
    expect(log).toContain('--jitconfig-file')
    expect(log).toContain('looked')
    expect(log).not.toMatch(jitForm)
    expect(log).not.toMatch(/found=/)
  })

  it('gets nothing from the API server, from Holdfast, as an agent or as another runner', async () => {
    const uid = await podUid(neighbour)
    const tries = [...atApiServer(), ...atHoldfast(), ...impersonating(uid)]
    expect(notRefused(await logOf(asking(...tries)), tries.length)).toEqual([])
    expect(await world.rows.ask('select pod_uid from host_rings')).toEqual([])
    expect((await world.rows.runner(neighbour))?.state).toBe('polling')
  })

  it('gets no job in the name of another, nor in its own', async () => {
    const invented = 'eyJhbGciOiJub25lIn0.e30.x'
    const log = await logOf(
      asking(
        polling('own', '$(hostname)'),
        polling('other', neighbour),
        polling('guessed', 'linux-00000000'),
        polling('invented', neighbour, invented),
      ),
    )
    expect(answersIn(log)).toEqual({ own: '401', other: '401', guessed: '401', invented: '401' })
    expect((await world.rows.runner(neighbour))?.state).toBe('polling')
  })

  it('in the single shape reads its token, which opens nothing but the door to leave by', async () => {
    const token = `$(cat ${tokenFile})`
    const elsewhere = [
      ...atApiServer(token),
      ...atHoldfast(token),
      ...impersonating(await podUid(neighbour), token),
    ]
    // Until Holdfast knows that the job runs, its own runner may fetch its configuration again, which is used up by then.
    const looks = [findTokens, everyProcess, 'sleep 6']
    const own = [
      polling('own', '$(hostname)', token),
      polling('other', neighbour, token),
      polling('guessed', 'mac-00000000', token),
    ]
    const log = await logOf([...looks, asking(...own, ...elsewhere)].join('\n'), 'mac')
    expect(log).toContain(`found=${tokenFile}`)
    expect(notRefused(log, own.length + elsewhere.length)).toEqual([['own', '410']])
    expect(log).not.toMatch(jitForm)
    expect(await world.rows.ask('select pod_uid from host_rings')).toEqual([])
    expect((await world.rows.runner(neighbour))?.state).toBe('polling')
  })

  it('has no right on its node, and sees nothing of it', async () => {
    const tries = {
      capabilities: `! grep -q '^CapEff:.*0000000000000000$' /proc/self/status`,
      privileges: `! grep -q '^NoNewPrivs:.*1$' /proc/self/status`,
      mount: 'mkdir -p /tmp/m && mount -t tmpfs tmpfs /tmp/m',
      device: 'mknod /tmp/disk b 8 0',
      kernel: 'head -c 1 /dev/kmsg || dmesg || echo 1 > /proc/sys/kernel/panic',
      node: 'ls -d /var/lib/kubelet || ls -d /var/lib/containerd || ls -d /etc/kubernetes',
      runtime: `test -n "$(find / -xdev -type s -name '*.sock')"`,
      cgroups: 'mkdir /sys/fs/cgroup/attack || mkdir /sys/fs/cgroup/memory/attack',
      processes: 'cat /proc/[0-9]*/comm | grep -q -e kubelet -e containerd',
    }
    const script = Object.entries(tries).map(
      ([name, attack]) =>
        `if ( ${attack} ) > /dev/null 2>&1; then echo "${name} succeeded"; else echo "${name} failed"; fi`,
    )
    const log = await logOf(script.join('\n'))
    expect(Object.keys(tries).filter((name) => !log.includes(`${name} failed`))).toEqual([])
  })

  it('keeps no genuine runner from its job by a flood of invented tokens', async () => {
    const invented = 'eyJhbGciOiJSUzI1NiIsImtpZCI6ImludmVudGVkIn0.e30.'
    const request = `curl -s -o /dev/null -w 'flood=%{http_code} ' -H 'content-type: application/json' --max-time 20`
    const attack = await world.submit(`set +e
end=$(($(date +%s) + ${floodSeconds}))
urls=$(for n in $(seq 40); do echo ${server}/v1/dispatch; done)
flood() { while [ $(date +%s) -lt $end ]; do ${request} -H "authorization: Bearer ${invented}$1$(date +%s)" --data '{"runner":"${neighbour}"}' $urls; echo; done; }
for i in 1 2 3 4 5 6; do flood $i & done; wait; exit 0`)
    await until(
      'the flood is under way',
      soonMs,
      async () => (await truthOf(attack))?.status === 'in_progress',
    )
    const job = await world.submit('true', 'warm')
    await until(
      'the genuine runner did its job',
      soonMs,
      async () => (await truthOf(job))?.conclusion === 'success',
    )
    expect((await truthOf(attack))?.status).toBe('in_progress')
    await settled(world, { warm: 1 })
    const statuses = (await world.log(attack)).match(/flood=\d+/g) ?? []
    expect(statuses.length).toBeGreaterThan(300)
    expect([...new Set(statuses)]).toEqual(['flood=401'])
  })

  it('proves nothing by a termination message and lines of the kernel that it writes itself', async () => {
    const command = ['sh', '-c', '"$@"; exit $?', 'sh', ...simRunnerCommand] // so that signals take the runner
    await world.pool('forger', { idleTimeoutSeconds: 2, command })
    const lies = [
      `printf '{"reason":"OOMKilled","exitCode":137}' > /dev/termination-log && echo "message written"`,
      `echo '[ 1.5] Memory cgroup out of memory: Killed process 1 (node) total-vm:1kB, anon-rss:1kB'`,
      `echo 'oom-kill:constraint=CONSTRAINT_MEMCG,task_memcg=/kubepods/pod0/,task=node,pid=1,uid=0'`,
    ]
    await world.submit(`set +e\n${lies.join('\n')}\nsleep 2; kill -9 $PPID; sleep 60`, 'forger')
    const { name, record } = await until('its runner ended', endedWithinMs, async () =>
      (await world.rows.runners()).find((runner) => runner.pool === 'forger' && runner.record !== null),
    )
    expect(record.ending.tail).toContain('message written')
    const { verdict } = await explain(life, name)
    expect(verdict).toMatchObject({ class: 'sigkill-unknown' })
    expect(verdict?.confidence).not.toBe('proven')
  })
})
