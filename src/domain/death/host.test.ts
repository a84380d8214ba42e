import { describe, expect, it } from 'vitest'
import { classifyDeath } from './classify.ts'
import type { Ending } from './ending.ts'
import { blindMs, memoryShare, sawTheEnd } from './host.ts'
import type { HostSamples } from './host-samples.ts'
import { oomKillsOf } from './oom-kills.ts'
import type { JobAtEnd } from './record.ts'
import { aHostSample, aHostSamples, aJobAtEnd, anEnd, aPodEnd, aRunnerEnd, endedAt } from './testing.ts'

const sampled = (...samples: readonly Parameters<typeof aHostSample>[0][]) =>
  aHostSamples({ samples: samples.map((each) => aHostSample(each)) })
const evidence = (ring: HostSamples) => ({ ring, ending: { endedAt } })
const judge = (ending: Partial<Ending>, ring: HostSamples, job: JobAtEnd | null = null) =>
  classifyDeath(anEnd(ending), { ring, job })
const lost = aJobAtEnd({ heardAt: endedAt + 600_000 })

describe('host samples', () => {
  it('count up to the end of the runner, not up to that of its pod', () => {
    const ring = sampled(
      { at: endedAt - 1000, memoryBytes: 99, memoryLimitBytes: 100, oomKills: 0 },
      { at: endedAt + 1_500, memoryBytes: 1, memoryLimitBytes: 100, oomKills: 0 },
      { at: endedAt + 60_000, memoryBytes: 1, memoryLimitBytes: 100, oomKills: 3 },
    )
    expect(memoryShare(evidence(ring))).toBe(0.99)
    expect(oomKillsOf(evidence(ring))).toMatchObject({ atEnd: 0, inAll: 0 })
  })

  it('do not show the end where they stopped before it', () => {
    const ring = sampled({ at: endedAt - 90_000, oomKills: 0 })
    expect(sawTheEnd(evidence(ring))).toBe(false)
    expect(blindMs(evidence(ring))).toBe(90_000)
    expect(judge({ exitCode: 137 }, ring).ruledOut.join()).not.toContain('OOM')
    expect(judge({ exitCode: 137 }, ring).unknown.join()).toContain('its last 90 s')
  })

  it.each([
    ['was sent just before', []],
    ['has a count from after it that is another', [{ at: endedAt + 3_000, oomKills: 1 }]],
    ['has no count from after it', [{ at: endedAt + 1_500, oomKills: null }]],
  ])('do not rule out a kill at the end where the set %s', (_, after) => {
    const ring = sampled({ at: endedAt - 4_000, oomKills: 0 }, { at: endedAt - 500, oomKills: 0 }, ...after)
    expect(oomKillsOf(evidence(ring))).toBeNull()
    expect(judge({ exitCode: 137 }, ring).ruledOut.join()).not.toContain('OOM')
    const pod = aPodEnd({ containers: [aRunnerEnd({ reason: 'OOMKilled', exitCode: 137 })] })
    expect(judge({ exitCode: 137, pod }, ring)).toMatchObject({
      class: 'container-oom',
      confidence: 'likely',
    })
  })

  it('distinguish an OOM kill at the end from one long before', () => {
    const long = sampled({ at: endedAt - 300_000, oomKills: 1 }, { at: endedAt - 500, oomKills: 1 })
    const now = sampled({ at: endedAt - 1_500, oomKills: 0 }, { at: endedAt - 500, oomKills: 1 })
    expect(judge({ exitCode: 137 }, long)).toMatchObject({ class: 'sigkill-unknown', confidence: 'likely' })
    expect(judge({ exitCode: 137 }, now)).toMatchObject({ class: 'guest-oom', confidence: 'likely' })
  })

  it('show memory at its limit where no kills are counted', () => {
    const over = { memoryBytes: 99, memoryLimitBytes: 100 }
    const uncounted = aHostSamples({}, { ...over, oomKills: null })
    expect(judge({ exitCode: 137 }, uncounted)).toMatchObject({ class: 'guest-oom', confidence: 'likely' })
    const counted = judge({ exitCode: 137 }, aHostSamples({}, over))
    expect(counted.class).toBe('sigkill-unknown')
    expect(counted.because.join()).toContain('99 % of its limit')
  })

  it('show a full table or disk, and prove none: a job can print such lines while the disk is full by another', () => {
    const files = aHostSamples({}, { nodeFilesOpen: 100_000 })
    const disk = aHostSamples({}, { nodeDiskFreeBytes: 0 })
    const table = { class: 'host-file-table' }
    expect(judge({ exitCode: 1 }, files)).toMatchObject({ ...table, confidence: 'likely' })
    expect(judge({ exitCode: 1, tail: 'ENFILE' }, files)).toMatchObject({ ...table, confidence: 'likely' })
    expect(judge({ exitCode: 1 }, disk)).toMatchObject({ class: 'disk-full', confidence: 'likely' })
    expect(judge({ exitCode: 1, tail: 'ENOSPC' }, disk)).toMatchObject({
      class: 'disk-full',
      confidence: 'likely',
    })
    const elsewhere = judge({ exitCode: 1, tail: 'ENOSPC' }, aHostSamples())
    expect(elsewhere.because.join()).toContain('a volume or limit of its own')
  })

  it('show CPU starvation where the forge gave the runner up, and not in a build that is only busy', () => {
    const pressed = aHostSamples({}, { cpuPressure: 97 })
    expect(judge({ exitCode: 0 }, pressed, lost)).toMatchObject({ class: 'starved', confidence: 'likely' })
    expect(judge({ exitCode: 1 }, pressed).class).toBe('failed')
    expect(judge({ exitCode: 0 }, aHostSamples(), lost).class).toBe('completion-handshake')
  })

  it('show a network that was gone', () => {
    const connections = aHostSamples({}, { nodeConntrack: 100_000 })
    expect(judge({ exitCode: 0 }, connections, lost).class).toBe('network-discontinuity')
    const condition = {
      type: 'NetworkUnavailable',
      status: 'True',
      reason: null,
      message: 'no route',
      at: null,
    }
    const node = { isGone: false, isCordoned: false, taints: [], conditions: [condition] }
    const pod = aPodEnd({ nodeAtEnd: node })
    expect(judge({ exitCode: 1, pod }, aHostSamples()).because.join()).toContain('no route')
  })
})
