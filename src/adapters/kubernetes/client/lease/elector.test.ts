import { describe, expect, it } from 'vitest'
import { isError } from '../../../../domain/errors/index.ts'
import { settled } from '../../../../platform/lifecycle/fakes.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { isOlderToken, type Term } from '../../../../ports/leadership.ts'
import { createCluster } from '../cluster.ts'
import { fixedCredentials } from '../connection/credentials.ts'
import type { Fault } from '../testing/api-server.ts'
import { bench, hurriedClock, keptLog, podPath, pods, untilTestEnds } from '../testing/bench.ts'

const never = new AbortController().signal
const leases = '/apis/coordination.k8s.io/v1/namespaces/ci/leases'
const place = { name: 'holdfast', namespace: 'ci' }
const manifest = (name: string) => ({ metadata: { name, namespace: 'ci' } })

/** A process of its own: it can be stopped, so that its timers do not fire while time goes on. */
function process(server: string, clock: Clock, identity: string) {
  let isStopped = false
  const late: (() => void)[] = []
  const own: Clock = {
    now: clock.now,
    after(delayMs, callback) {
      return clock.after(delayMs, () => (isStopped ? void late.push(callback) : callback()))
    },
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        const cancel = own.after(delayMs, resolve)
        signal?.addEventListener('abort', () => {
          cancel()
          reject(signal.reason)
        })
      }),
  }
  const log = keptLog()
  const cluster = createCluster({
    clock: own,
    log,
    steadyMs: clock.now,
    connection: { server, namespace: 'ci', credentials: fixedCredentials({ tls: {} }) },
    entropy: { fraction: () => 0.5, bytes: (count) => new Uint8Array(count) },
  })
  const elector = cluster.elector(place, identity)
  const end = untilTestEnds((signal) => elector.run(signal).finally(() => cluster.close()))
  return {
    cluster,
    elector,
    log,
    end,
    stop: () => {
      isStopped = true
    },
    /** Without the timers that were missed, as in the first moment after a pause. */
    wake: () => {
      isStopped = false
    },
    catchUp: () => {
      for (const callback of late.splice(0)) callback()
    },
  }
}

/** Not hurried more than this: a term is then longer than any moment for which a busy machine holds a test up. */
async function election(...identities: string[]) {
  const clock = hurriedClock(6)
  const { api, server } = await bench({ clock })
  const [first, ...others] = identities
  const a = process(server, clock, first as string)
  await expect.poll(() => a.elector.term()).not.toBeNull()
  return { api, clock, server, a, others: others.map((identity) => process(server, clock, identity)) }
}

const holderOf = (api: Awaited<ReturnType<typeof bench>>['api']) =>
  (api.truth.get(leases, 'holdfast') as { spec?: { holderIdentity?: string } } | undefined)?.spec
    ?.holderIdentity

describe('an election', () => {
  it('has one leader, who renews the lease, and followers who know its name', async () => {
    const { api, clock, a, others } = await election('a', 'b')
    await expect.poll(() => others[0]?.elector.holder()).toBe('a')
    await clock.sleep(20_000)
    expect(others[0]?.elector.term()).toBeNull()
    expect(() => a.elector.term()?.check()).not.toThrow()
    const lease = api.truth.get(leases, 'holdfast') as Record<string, Record<string, unknown>>
    expect(lease.spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 1 })
    expect(lease.spec?.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  })

  it('passes at once to another where the leader ends in order, with a greater token', async () => {
    const { clock, a, others } = await election('a', 'b')
    const before = a.elector.term() as Term
    const at = clock.now()
    await a.end()
    await expect.poll(() => others[0]?.elector.term()?.holder).toBe('b')
    expect(clock.now() - at).toBeLessThan(12_000)
    expect(isOlderToken(before.token, others[0]?.elector.term()?.token ?? '')).toBe(true)
    expect(before.signal.aborted).toBe(true)
  })

  it('gives a greater token also after the lease was deleted', async () => {
    const { api, a, clock } = await election('a')
    const before = a.elector.term() as Term
    api.truth.remove(leases, 'holdfast')
    await expect.poll(() => before.signal.aborted).toBe(true)
    await expect.poll(() => a.elector.term()).not.toBeNull()
    expect(isOlderToken(before.token, a.elector.term()?.token ?? '')).toBe(true)
    expect(() => before.check()).toThrow('may not write')
    expect(clock.now()).toBeGreaterThan(before.wonAt)
  })

  it('is not lost by an answer that is', async () => {
    const { api, a } = await election('a')
    const term = a.elector.term()
    api.failNext(2, (_, response) => void response.destroy())
    await expect.poll(() => a.log.lines).toContain('warn the lease could not be looked after')
    await expect.poll(() => api.requests.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(3)
    expect(a.elector.term()).toBe(term)
  })
})

describe('a leader who cannot renew', () => {
  it('ends his term before others may begin theirs', async () => {
    const { api, clock, a } = await election('a')
    const term = a.elector.term() as Term
    api.faults.push((_, response) => void response.destroy())
    await expect.poll(() => term.signal.aborted).toBe(true)
    const lease = api.truth.get(leases, 'holdfast') as Record<string, Record<string, string>>
    expect(clock.now() - Date.parse(lease.spec?.renewTime ?? '')).toBeLessThan(15_000)
    expect(a.elector.term()).toBeNull()
  })
})

describe('a leader that was suspended and resumes after another took over', () => {
  async function usurped() {
    const { api, clock, a, others, server } = await election('a', 'b')
    const term = a.elector.term() as Term
    const writer = a.cluster.writerOf(term)
    a.stop()
    await expect.poll(() => others[0]?.elector.term()?.holder, { timeout: 10_000 }).toBe('b')
    a.wake()
    return { api, clock, a, term, writer, b: others[0], server }
  }

  it('cannot write, although no timer of his has had its turn', async () => {
    const { api, term, writer } = await usurped()
    expect(term.signal.aborted).toBe(false)
    const refused = await writer.create(pods, manifest('late'), never).catch((error: unknown) => error)
    expect(isError(refused, 'E_CLUSTER_NOT_LEADER')).toBe(true)
    expect(api.truth.get(podPath, 'late')).toBeUndefined()
    expect(api.requests.filter(({ path }) => path === podPath)).toEqual([])
  })

  it('reads who leads, and does not take the lease back', async () => {
    const { api, a, b } = await usurped()
    a.catchUp()
    await expect.poll(() => a.elector.holder()).toBe('b')
    expect(a.elector.term()).toBeNull()
    expect(holderOf(api)).toBe('b')
    expect(b?.elector.term()).not.toBeNull()
  })
})

describe('a write that waited for its turn on the transport', () => {
  it('is not sent where the term ended meanwhile', async () => {
    const { api, server } = await bench()
    let now = 0
    const still: Clock = { now: () => now, after: () => () => {}, sleep: () => new Promise(() => {}) }
    const credentials = {
      // The process stands still between the first question and the first byte.
      authenticate: async () => {
        await settled()
        now = 60_000
        return { tls: {} }
      },
      invalidate: () => {},
    }
    const { beginTerm } = await import('./term.ts')
    const clocks = { clock: still, steadyMs: () => now }
    const term = beginTerm({ holder: 'a', token: '1' }, { wall: 0, steady: 0 }, 10_000, clocks, () => {})
    const cluster = createCluster({
      clock: still,
      log: keptLog(),
      connection: { server, namespace: 'ci', credentials },
      entropy: { fraction: () => 0, bytes: (count) => new Uint8Array(count) },
    })
    untilTestEnds(
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(cluster.close()))),
    )
    await expect(cluster.writerOf(term).create(pods, manifest('x'), never)).rejects.toThrow('may not write')
    expect(api.requests).toEqual([])
  })
})

describe('a namespace that terminates', () => {
  const namespacePath = '/api/v1/namespaces'
  const refusal = {
    kind: 'Status',
    code: 403,
    reason: 'Forbidden',
    message:
      'leases "holdfast" is forbidden: unable to create new content in namespace ci because it is being terminated',
  }

  const refuse: Fault = ({ method, path }, response) => {
    if (method !== 'POST' || path !== leases) return true
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(refusal))
    return false
  }

  it('lets every replica release the runners that are left, logs it, and ends that with the namespace', async () => {
    const { api, a, others } = await election('a', 'b')
    const first = a.elector.term() as Term
    expect(first.closing).toBeNull()
    api.truth.put(namespacePath, 'ci', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    api.faults.push(refuse)
    api.truth.remove(leases, 'holdfast')
    for (const { elector } of [a, ...others]) {
      await expect
        .poll(() => elector.term()?.closing, { timeout: 10_000 })
        .toMatch(/namespace ci is being deleted/)
    }
    expect(first.signal.aborted).toBe(true)
    expect(a.log.lines).toContainEqual(expect.stringMatching(/^error .*are released/))
  })

  it('is seen with a renewal, while the lease and our rights still stand, and is not left again', async () => {
    const { api, a } = await election('a')
    const first = a.elector.term() as Term
    api.truth.put(namespacePath, 'ci', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    await expect
      .poll(() => a.elector.term()?.closing, { timeout: 10_000 })
      .toMatch(/namespace ci is being deleted/)
    expect(first.signal.aborted).toBe(true)
    const closing = a.elector.term() as Term
    const gone: Fault = ({ path }, response) => {
      if (path !== `${namespacePath}/ci`) return true
      const word = { kind: 'Status', code: 401, reason: 'Unauthorized', message: 'Unauthorized' }
      response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(word))
      return false
    }
    const asked = () => api.requests.filter(({ path }) => path === `${namespacePath}/ci`).length
    api.faults.push(gone)
    const before = asked()
    await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(before + 8)
    expect(a.elector.term()).toBe(closing)
    expect(closing.signal.aborted).toBe(false)
  })

  it('is not seen in one that stands, nor in one that may not be read', async () => {
    const { api, a } = await election('a')
    const first = a.elector.term() as Term
    const asked = () => api.requests.filter(({ path }) => path === `${namespacePath}/ci`).length
    const unreadable: Fault = ({ path }, response) => {
      if (path !== `${namespacePath}/ci`) return true
      response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(refusal))
      return false
    }
    api.truth.put(namespacePath, 'ci', {})
    await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(1)
    api.faults.push(unreadable)
    const before = asked()
    await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(before + 2)
    expect(a.elector.term()).toBe(first)
  })

  it('is not concluded from the refusal alone', async () => {
    const { api, a } = await election('a')
    api.truth.put(namespacePath, 'ci', {})
    api.faults.push(refuse)
    api.truth.remove(leases, 'holdfast')
    await expect
      .poll(() => api.requests.filter(({ path }) => path === `${namespacePath}/ci`).length)
      .toBeGreaterThan(1)
    expect(a.elector.term()?.closing ?? null).toBeNull()
  })
})
