import { describe, expect, it } from 'vitest'
import { attemptMoves } from '../../domain/attempt/index.ts'
import { jobMoves } from '../../domain/job/index.ts'
import { runnerMoves } from '../../domain/runner/index.ts'
import type { ApiDecision } from '../contracts/job-file.ts'
import {
  ageText,
  durationText,
  factLines,
  groupDecisions,
  moodOf,
  stateText,
  timelineSentence,
  withoutEchoes,
} from './index.ts'

const eventsOf = (moves: Readonly<Record<string, object>>) => [
  ...new Set(Object.values(moves).flatMap((row) => Object.keys(row))),
]

describe('timelineSentence', () => {
  it('has words for every event that moves a job, an attempt or a runner', () => {
    const machines = { job: jobMoves, attempt: attemptMoves, runner: runnerMoves } as const
    for (const [subject, moves] of Object.entries(machines)) {
      for (const kind of eventsOf(moves)) {
        const sentence = timelineSentence({ subject: subject as keyof typeof machines, kind, facts: {} })
        expect(sentence, `${subject} ${kind}`).toMatch(/^[A-Z].*[.:] ?\w*$/)
        expect(sentence, `${subject} ${kind}`).not.toContain('undefined')
      }
    }
  })

  it('shows a kind that it does not know as it is', () => {
    expect(timelineSentence({ subject: 'job', kind: 'odd', facts: { a: 1 } })).toBe('job: odd (a 1)')
  })

  it('does not take a name of every object for a kind', () => {
    expect(timelineSentence({ subject: 'job', kind: 'toString', facts: {} })).toBe('job: toString')
  })
})

describe('durationText', () => {
  it.each([
    [-5, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [90_000_000, '1 d 1 h'],
  ])('%i ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })

  it('counts an age from the time at which the fact was read, not by a clock of its own', () => {
    expect(ageText('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:07.000Z')).toBe('7 s')
  })
})

describe('stateText and moodOf', () => {
  const open = { state: 'queued', outcome: null, conclusion: null } as const
  const job = { ...open, quarantine: null, requeues: 0, reach: null } as const
  const reach = { kind: 'label-without-pool', sentence: 'No pool.', todo: 'Add one.' } as const
  it.each([
    [job, 'queued', 'waiting'],
    [{ ...job, requeues: 2 }, 'queued again (2)', 'waiting'],
    [{ ...job, quarantine: 'why' }, 'quarantined', 'bad'],
    [{ ...job, requeues: 2, reach }, 'unreachable', 'bad'],
    [{ ...job, quarantine: 'why', reach }, 'unreachable', 'bad'],
    [{ ...job, state: 'running' as const }, 'running', 'active'],
    [{ ...job, state: 'completed' as const, outcome: 'success' }, 'success', 'good'],
    [{ ...job, state: 'completed' as const, outcome: 'timed_out' }, 'timed_out', 'bad'],
    [{ ...job, state: 'cancelled' as const, outcome: 'gone' }, 'cancelled', 'neutral'],
    [{ ...job, state: 'lost' as const, outcome: 'lost' }, 'lost', 'bad'],
    [
      { ...job, state: 'lost' as const, outcome: 'lost', conclusion: 'cancelled' },
      'lost (forge: cancelled)',
      'bad',
    ],
  ])('%j is %s, %s', (row, text, mood) => {
    expect([stateText(row), moodOf(row)]).toEqual([text, mood])
  })
})

describe('newsOf', () => {
  const row = (subject: 'job' | 'attempt', kind: string, at = 'now') => ({ subject, kind, at })
  it('leaves out a row that another of the same transaction says better', () => {
    const rows = [
      row('attempt', 'delivered'),
      row('job', 'delivered'),
      row('job', 'lost'),
      row('attempt', 'finished'),
    ]
    expect(withoutEchoes(rows).map(({ subject, kind }) => `${subject} ${kind}`)).toEqual([
      'attempt delivered',
      'job lost',
    ])
  })

  it('does not leave out a row that no other one repeats', () => {
    const rows = [row('job', 'claimed'), row('attempt', 'started'), row('attempt', 'claimed', 'later')]
    expect(withoutEchoes(rows)).toEqual(rows)
  })
})

describe('groupDecisions', () => {
  const decision = (id: number, outcome: string, readAt: number): ApiDecision => ({
    id,
    at: new Date(id * 1000).toISOString(),
    rule: 'missed-end',
    why: null,
    attemptId: null,
    runnerId: null,
    facts: {
      forgeRunner: { known: true, value: { id: 4, busy: true, kind: 'present' }, readAt, source: 'forge' },
    },
    actions: [],
    outcome,
  })

  it('puts repetitions on the same facts together, however old each fact was', () => {
    const groups = groupDecisions([
      decision(1, 'look-again', 900),
      decision(2, 'look-again', 1_500),
      decision(3, 'requeue', 3_000),
    ])
    expect(
      groups.map(({ first, count, lastAt, lines }) => [first.id, count, lastAt.slice(17, 19), lines]),
    ).toEqual([
      [1, 2, '02', ['forgeRunner: present, busy, id 4 (forge, 0.1 s old)']],
      [3, 1, '03', ['forgeRunner: present, busy, id 4 (forge, 0.0 s old)']],
    ])
  })
})

describe('factLines', () => {
  it('shows each fact with its source and age, and leaves out facts that no rule asked for', () => {
    const at = '2026-01-01T00:00:10.000Z'
    const readAt = Date.parse(at) - 2_500
    const facts = {
      jobState: 'running',
      hosted: { known: false, why: 'not read yet' },
      forgeJob: { known: true, value: { kind: 'gone' }, readAt, source: 'forge' },
      forgeRunner: { known: false, why: 'E_FORGE_UNAVAILABLE' },
    }
    expect(factLines({ facts, at })).toEqual([
      'jobState: running',
      'forgeJob: gone (forge, 2.5 s old)',
      'forgeRunner: unknown (E_FORGE_UNAVAILABLE)',
    ])
  })
})
