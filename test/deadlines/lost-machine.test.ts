import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startSimulatedForge } from '../../sim/forge/http/index.ts'
import { type ApiHost, deathListSchema, type HostList, hostListSchema } from '../../src/api/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import { newGate } from '../program/support/gate.ts'
import { until } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { holdfast, holdfastJson } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { ask } from '../support/embedded.ts'
import { recordedLog } from '../support/machine.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

/** Longer than the pause between two heartbeats, which is 10 s. */
const hostLostAfterMs = 20_000
/** The forge's patience with a silent runner. */
const lostAfterMs = 8_000
const judgedWithinMs = 60_000
const lookEveryMs = 500
/** One place in the pool: who holds it keeps the next job waiting. */
const pools = [{ name: 'local', labels: ['self-hosted'], minWarm: 0, maxRunners: 1 }]

/** A forge that outlives both machines; its webhooks go to the one that stays. */
async function forgeFor(place: Place, takesBack: boolean) {
  const folder = untilTestEnds(await temporaryFolder('holdfast-forge-'))
  const [token, webhookSecret] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  const forge = await startSimulatedForge({
    folder: folder.path,
    port: 0,
    token,
    webhookSecret,
    webhookUrl: `${place.url}/webhooks/forge`,
    delays: { lostAfterMs, offlineAfterMs: lostAfterMs },
    takesBack,
    clock: createClock(),
    entropy: createEntropy(),
    log: recordedLog(),
  })
  untilTestEnds({ [Symbol.asyncDispose]: () => forge.close() })
  return {
    env: {
      HOLDFAST_FORGE_URL: forge.url,
      HOLDFAST_FORGE_TOKEN: token,
      HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([webhookSecret]),
    },
    async submit(script: string): Promise<number> {
      const job = { repository: 'acme/web', name: 'test', labels: ['self-hosted'], script }
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${forge.url}/_sim/jobs`, {
        method: 'POST',
        headers,
        body: JSON.stringify(job),
      })
      return ((await answer.json()) as { id: number }).id
    },
  }
}

const hostsOf = async (place: Place): Promise<HostList> =>
  hostListSchema.parse(await holdfastJson(place, 'hosts'))

async function untilHost(
  place: Place,
  id: string | undefined,
  wished: (host: ApiHost) => boolean,
): Promise<ApiHost> {
  const deadline = performance.now() + judgedWithinMs
  for (;;) {
    const { hosts } = await hostsOf(place)
    const host = hosts.find((each) => each.id === id)
    if (host !== undefined && wished(host)) return host
    if (performance.now() > deadline) throw new Error(`not as wished: ${JSON.stringify(hosts)}`)
    await setTimeout(lookEveryMs)
  }
}

describe('two Holdfasts on one Postgres, of which one machine goes for good', { timeout: 300_000 }, () => {
  it.each([
    ['fails what its runner left, so does its job', false],
    ['takes it back, its job runs on the other machine', true],
  ])('where the forge %s; the lost one is shown, its runner sealed, its place free', async (_, takesBack) => {
    const [stays, goes] = [untilTestEnds(await newPlace()), untilTestEnds(await newPlace())]
    const forge = await forgeFor(stays, takesBack)
    const { url } = untilTestEnds(await createEmptyDatabase())
    const env = {
      ...forge.env,
      DATABASE_URL: url,
      HOLDFAST_POOLS: JSON.stringify(pools),
      HOLDFAST_RECOVERY_HOST_LOST_AFTER_MS: String(hostLostAfterMs),
      HOLDFAST_RECOVERY_TICK_MS: '500',
      HOLDFAST_RECOVERY_AUDIT_EVERY_MS: '1000',
    }
    const gone = untilTestEnds(await startProgram(goes, { env }))
    const gate = newGate(stays)
    const left = await forge.submit(gate.script)
    await until(goes, [left], ({ state }) => state === 'running')
    const [lost] = (await hostsOf(goes)).hosts
    expect(lost).toMatchObject({ kind: 'local', state: 'live', liveRunners: 1 })

    untilTestEnds(await startProgram(stays, { env }))
    const next = await forge.submit('true')
    await until(stays, [next], ({ state }) => state === 'queued')
    // It has sent heartbeats for some minutes, so that it may judge others by their silence.
    await ask(url, "update hosts set beating_since = beating_since - interval '5 min' returning id")
    expect(await gone.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    await goes[Symbol.asyncDispose]() // and its runners with it

    // How long it is lost before it has ended depends on how soon its one runner is judged.
    await untilHost(stays, lost?.id, ({ state }) => state !== 'live')
    const text = (await holdfast(stays, 'hosts')).out
    expect(text).toMatch(new RegExp(`${lost?.id} +local +(lost|ended)`))
    expect(text.match(/ local +live /g)).toHaveLength(1)
    expect(await untilHost(stays, lost?.id, ({ state }) => state === 'ended')).toMatchObject({
      liveRunners: 0,
    })
    const { deaths } = deathListSchema.parse(await holdfastJson(stays, 'deaths'))
    expect(deaths.map((death) => death.class)).toContain('host-lost')

    await gate.open()
    const jobs = await until(stays, [left, next], ({ endedAt }) => endedAt !== null)
    expect(jobs.map(({ outcome }) => outcome)).toEqual([takesBack ? 'success' : 'failure', 'success'])
  })
})
