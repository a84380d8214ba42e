import { describe, expect, it } from 'vitest'
import { death, explained, found, podEnding, ring, row, second } from '../../test/support/explain.ts'
import { aJob, now } from '../../test/support/rows.ts'
import { classifyDeath } from '../domain/death/index.ts'
import type { TimelineRow } from '../ports/ledger.ts'

describe('one timeline', () => {
  it('joins ledger, record, events, node, agent and forge in the order of time, with who says it', () => {
    const timeline = [
      row({
        id: 1,
        subject: 'job',
        kind: 'seen',
        at: now - 10 * second,
        source: 'webhook',
        facts: { status: 'queued', pool: 'linux' },
      }),
      row({ id: 3, subject: 'runner', kind: 'gone', facts: { class: 'container-oom' } }),
    ]
    const given = found([death(classifyDeath(podEnding))], {
      job: { timeline },
      // The same row stands in both files.
      runner: {
        timeline: [
          timeline[1] as TimelineRow,
          row({
            id: 2,
            subject: 'runner',
            kind: 'polled',
            jobId: null,
            at: now - 7 * second,
            source: 'dispatch',
          }),
        ],
      },
    })
    const lines = explained(given, ring).timeline.map(
      ({ at, source, text }) => `${at.slice(17, 23)} ${source} ${text}`,
    )
    expect(lines).toEqual([
      '55.000 ledger First seen: the forge says queued; pool linux serves it. (webhook)',
      '56.000 forge The job was queued, by the clock of the forge.',
      '57.000 cluster The pod was placed on node-1.',
      '58.000 ledger The runner asked for work. (dispatch)',
      '59.000 cluster Warning BackOff: Back-off pulling (3 times in 2 s)',
      '00.000 kubelet Container runner began.',
      '02.000 forge The job began on linux-1-00000001, by the clock of the forge.',
      '03.000 cluster Node node-1: MemoryPressure is True (x).',
      '03.000 agent The agent has samples from here (1, 1 GiB of memory at most).',
      '03.000 agent The newest sample of the agent.',
      '03.500 agent The kernel wrote: Memory cgroup out of memory: Killed process 4711 (node)',
      '04.000 kubelet Container runner ended: exit code 137 (OOMKilled).',
      '04.000 agent The group of its processes was gone.',
      '05.000 forge The job was over (failure), by the clock of the forge.',
      '05.000 ledger The runner ended; its death is on record (container-oom). (lifecycle)',
    ])
  })

  it('shows a row of a kind that it does not know, without what is for runners alone', () => {
    const facts = { handle: 'the-handle', note: 'seen' }
    const timeline = [row({ id: 1, subject: 'attempt', kind: 'abducted', facts })]
    const [first] = explained(found([], { job: { job: aJob(), timeline } })).timeline
    expect(first?.text).toBe('attempt: abducted (note "seen") (lifecycle)')
  })

  it('keeps the newest rows of a long one, and says how many it leaves out', () => {
    const timeline = Array.from({ length: 300 }, (_, n) =>
      row({ id: n, subject: 'runner', kind: 'polled', at: now + n }),
    )
    const { timeline: shown, leftOut } = explained(found([], { runner: { timeline } }))
    expect([shown.length, leftOut]).toEqual([200, 103])
  })
})

describe('the evidence', () => {
  it('has of each fact who says it and when', () => {
    const timeline = [row({ id: 1, subject: 'job', kind: 'lost' })]
    const { evidence } = explained(found([death(classifyDeath(podEnding))], { job: { timeline } }), ring)
    expect(evidence.map(({ source, at, text }) => `${at?.slice(17, 23) ?? '?'} ${source} ${text}`)).toEqual([
      '04.000 kubelet Container runner ended after 4 s: exit code 137 (OOMKilled).',
      '59.000 cluster Warning BackOff: Back-off pulling',
      '03.000 cluster Node node-1: MemoryPressure is True: low',
      '04.000 kubelet Memory: the limit is 1 GiB.',
      '04.000 log The newest line it wrote, below.',
      '03.500 agent The kernel wrote: Memory cgroup out of memory: Killed process 4711 (node)',
      '03.000 agent In the newest sample: 1 GiB of 1 GiB of memory, 1 killed at the limit, 12 processes, waiting for memory 63 % of the time.',
      '04.000 agent The newest sample was 0 s old when its processes were gone.',
      '05.000 forge The forge says that the job is completed (failure).',
      '05.000 ledger Attempt 1 ended (finished).',
      '05.000 ledger The death record was sealed, complete.',
    ])
  })
})
