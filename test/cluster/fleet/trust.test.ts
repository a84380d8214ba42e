import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addresses } from '../index.ts'
import { until } from '../machine/until.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const soonMs = 60_000
const pods = '/api/v1/namespaces/trust/pods'
const tokenFile = '/var/run/holdfast/token/token'
/** What a configuration of the forge looks like, wherever it stands: base64 of a JSON object. */
const jitForm = /eyJ[A-Za-z0-9+/_-]{60,}/

describe('a job on a real cluster, which tries what it can', () => {
  let world: World
  /** As pods reach Holdfast. */
  let server: string
  let neighbour: string
  beforeAll(async () => {
    world = await openWorld('trust')
    const life = await world.holdfast()
    await life.serving
    server = `http://${addresses.control}:${new URL(life.url).port}`
    await world.pool('linux', { idleTimeoutSeconds: 2 })
    await world.pool('mac', { shape: 'single', idleTimeoutSeconds: 2 })
    await world.pool('warm', { minWarm: 1, maxRunners: 1 })
    neighbour = await until('another runner waits for a job', soonMs, async () => {
      return (await world.rows.runners()).find(({ pool, state }) => pool === 'warm' && state === 'polling')
        ?.name
    })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** Runs a script as a job and gives what it printed. */
  async function said(script: string, pool = 'linux'): Promise<string> {
    const job = await world.submit(`set +e\n${script}\nexit 0`, pool)
    await settled(world, { warm: 1 })
    const { jobs } = await world.forge.truth()
    expect(jobs.find(({ id }) => id === job)?.conclusion).toBe('success')
    return world.log(job)
  }

  /** The status of what is asked of Holdfast in the name of a runner, with this as its proof. */
  const asking = (what: string, runner: string, header = '') =>
    `echo "${what}=$(curl -s -o /dev/null -w '%{http_code}' -X POST -H 'content-type: application/json' ` +
    `${header} --data "{\\"runner\\":\\"${runner}\\"}" --max-time 20 ${server}/v1/dispatch)"`
  const everyProcess = `for each in /proc/[0-9]*; do tr '\\0' '\\n' < $each/environ; tr '\\0' '\\n' < $each/cmdline; done`
  const findTokens = `find / \\( -path /proc -o -path /sys \\) -prune -o -name token -print | sed s/^/found=/`

  it('finds no token in any file', async () => {
    const log = await said(
      `${findTokens}; ls -A /var/run/secrets | sed s/^/secret=/; ls -A /holdfast; echo looked`,
    )
    expect(log).toContain('looked')
    expect(log).not.toMatch(/found=|secret=/)
  })

  it('finds its configuration in no file, no environment and no arguments', async () => {
    const log = await said(
      `${everyProcess}; ls -lA /holdfast/jit | sed s/^/staged=/; ` +
        `find / \\( -path /proc -o -path /sys \\) -prune -o -name '*jitconfig*' -print | sed s/^/found=/; echo looked`,
    )
    expect(log).toContain('HOLDFAST_JIT_FILE=') // it did read the environment of the runner's program
    expect(log).toContain('--jitconfig-file')
    expect(log).toContain('looked')
    expect(log).not.toMatch(jitForm)
    expect(log).not.toMatch(/found=/)
  })

  it('gets nothing from the API server', async () => {
    const at = `https://${addresses.service}${pods}`
    const log = await said(`echo "pods=$(curl -sk -o /dev/null -w '%{http_code}' --max-time 20 ${at})"`)
    expect(log).toMatch(/pods=(401|403)/)
  })

  it('gets no job in the name of another, nor in its own', async () => {
    const log = await said(
      [
        asking('own', '$(hostname)'),
        asking('other', neighbour),
        asking('guessed', 'linux-00000000'),
        asking('invented', neighbour, `-H 'authorization: Bearer eyJhbGciOiJub25lIn0.e30.x'`),
      ].join('\n'),
    )
    for (const what of ['own', 'other', 'guessed', 'invented']) expect(log).toContain(`${what}=401`)
    expect((await world.rows.runner(neighbour))?.state).toBe('polling')
  })

  it('in the single shape reads its token, which opens nothing but the door to leave by', async () => {
    const proof = `-H "authorization: Bearer $(cat ${tokenFile})"`
    const api = `https://${addresses.service}${pods}`
    const log = await said(
      [
        findTokens,
        everyProcess,
        // Until Holdfast has heard that the job runs, its own runner may fetch its configuration again: it is used.
        'sleep 6',
        asking('own', '$(hostname)', proof),
        asking('other', neighbour, proof),
        asking('guessed', 'mac-00000000', proof),
        `echo "pods=$(curl -sk -o /dev/null -w '%{http_code}' ${proof} --max-time 20 ${api})"`,
      ].join('\n'),
      'mac',
    )
    expect(log).toContain(`found=${tokenFile}`)
    expect(log).toContain('own=410')
    expect(log).toContain('other=401')
    expect(log).toContain('guessed=401')
    expect(log).toMatch(/pods=(401|403)/) // it is for another audience
    expect(log).not.toMatch(jitForm)
    expect((await world.rows.runner(neighbour))?.state).toBe('polling')
  })
})
