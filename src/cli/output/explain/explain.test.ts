import { createColors } from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Explanation } from '../../../api/index.ts'
import type { Context } from '../../context.ts'
import { explanationMarkdown, explanationText } from './index.ts'

const context = { colors: createColors(false), width: 80 } as Context
const text = (explanation: Explanation) => explanationText(explanation, context)

const whole: Explanation = {
  at: '2026-01-02T03:06:00.000Z',
  subject: { asked: '12', kind: 'job', title: 'Job 12, acme/web · integration tests' },
  job: {
    id: 12,
    forge: 'github:87',
    repository: 'acme/web',
    name: 'integration tests',
    state: 'lost (failure)',
    said: null,
  },
  runner: { name: 'linux-3f5a2c81', pool: 'linux', state: 'ended' },
  pod: { namespace: 'ci', pod: 'linux-3f5a2c81', uid: 'uid-1', node: 'm789d' },
  attempts: null,
  summary: 'The runner ended 1 min 56 s ago, and its death is on record.',
  verdict: {
    class: 'container-oom',
    confidence: 'proven',
    rule: 'a rule',
    sentence: 'its runner ran out of memory (container-oom, proven)',
    because: ['The kernel on m789d killed process 4711 (node) of its group at the memory limit of 2 GiB.'],
  },
  jobVerdict: null,
  isReached: true,
  sealed: {
    class: 'sigkill-unknown',
    confidence: 'likely',
    rule: 'another',
    because: [],
    sentence: 'its runner was killed (sigkill-unknown, likely)',
    at: '2026-01-02T03:04:09.000Z',
    isComplete: true,
  },
  isChanged: true,
  evidence: [
    {
      source: 'kubelet',
      at: '2026-01-02T03:04:04.000Z',
      text: 'Container runner ended after 1 h 2 min: exit code 137 (Error).',
    },
    { source: 'cluster', at: null, text: 'Node m789d is closed to new pods.' },
  ],
  ruledOut: ['not evicted, drained or preempted: its pod has no mark of that'],
  unknown: ['what the forge says about its job'],
  timeline: [
    {
      source: 'ledger',
      at: '2026-01-01T23:59:59.123Z',
      text: 'First seen: the forge says queued; pool linux serves it. (webhook)',
    },
    {
      source: 'agent',
      at: '2026-01-02T03:04:03.500Z',
      text: 'The kernel wrote: Memory cgroup out of memory.',
    },
    {
      source: 'kubelet',
      at: '2026-01-02T03:04:04.000Z',
      text: 'Container runner ended: exit code 137 (Error).',
    },
  ],
  leftOut: 0,
  actionsTaken: [
    {
      at: '2026-01-02T03:04:10.000Z',
      rule: 'running-without-runner',
      text: 'end-attempt: ok',
      count: 2,
      why: 'The runner of a delivered job ended, and its death is on record.',
      lastAt: '2026-01-02T03:04:40.000Z',
    },
  ],
  nextSteps: ['Give the pool more memory: resources.limits.memory.'],
  tail: 'added 1204 packages\nKilled',
}

const twice: Explanation = {
  ...whole,
  attempts: {
    outcome: 'passed-on-same-commit',
    sentence: 'Attempt 2 passed and attempt 1 failed on the same commit (abc1234): the pass is the result.',
    mustNotConclude: ['The failure does not prove the commit broken.'],
    attempts: [
      {
        number: 1,
        forgeJobId: 87,
        commit: 'abc1234def56789abc1234def56789abc1234def',
        runner: 'linux-1',
        node: 'honey',
        status: 'completed',
        conclusion: 'failure',
        step: 'Build | test',
        verdict: { class: 'guest-oom', confidence: 'likely' },
        isCarriedOver: false,
        startedAt: null,
        completedAt: null,
      },
      {
        number: 2,
        forgeJobId: 91,
        commit: 'abc1234def56789abc1234def56789abc1234def',
        runner: 'linux-2',
        node: null,
        status: 'completed',
        conclusion: 'success',
        step: null,
        verdict: null,
        isCarriedOver: false,
        startedAt: null,
        completedAt: null,
      },
    ],
  },
}

describe('attempts of a job', () => {
  it('are columns next to each other, with what they say together', () => {
    const [, shown = ''] = /\nAttempts\n([\s\S]*?)\n\n/.exec(text(twice)) ?? []
    expect(`\n${shown}`).toBe(`
           ATTEMPT 1          ATTEMPT 2
  job      87                 91
  commit   abc1234def56       abc1234def56
  runner   linux-1            linux-2
  node     honey              not known
  result   failure            success
  step     Build | test
  verdict  guest-oom, likely
  Attempt 2 passed and attempt 1 failed on the same commit (abc1234): the pass
  is the result.
  careful: The failure does not prove the commit broken.`)
  })
  it('are a table in an issue, in which foreign text stays text', () => {
    const markdown = explanationMarkdown(twice)
    expect(markdown).toContain('|  | attempt 1 | attempt 2 |')
    expect(markdown).toContain('| step | Build \\| test |  |')
  })
  it('are not mentioned where there is one', () => {
    expect(text(whole)).not.toContain('Attempts')
    expect(explanationMarkdown(whole)).not.toContain('Attempts')
  })
})

const nothingYet: Explanation = {
  ...whole,
  subject: { asked: 'linux-1', kind: 'runner', title: 'Runner linux-1' },
  job: null,
  runner: { name: 'linux-1', pool: 'linux', state: 'polling' },
  pod: null,
  summary: 'The runner lives (polling, last seen 3 s ago): nothing has ended.',
  verdict: null,
  sealed: null,
  isReached: false,
  isChanged: false,
  evidence: [],
  ruledOut: [],
  unknown: [],
  timeline: [
    { source: 'ledger', at: '2026-01-02T03:04:05.000Z', text: 'The runner asked for work. (dispatch)' },
  ],
  actionsTaken: [],
  nextSteps: [],
  tail: '',
}

describe('an explanation for the terminal', () => {
  it('shows everything in 80 columns', () => {
    expect(text(whole)).toBe(`Job 12, acme/web · integration tests
  The runner ended 1 min 56 s ago, and its death is on record.
  job     github:87, lost (failure)
  runner  linux-3f5a2c81, pool linux, ended
  pod     ci/linux-3f5a2c81 on m789d

Verdict
  Its runner ran out of memory (container-oom, proven).
  - The kernel on m789d killed process 4711 (node) of its group at the memory
    limit of 2 GiB.
  Sealed 1 min 51 s ago as: its runner was killed (sigkill-unknown, likely).
  What is known by now says otherwise.

Evidence
  - Container runner ended after 1 h 2 min: exit code 137 (Error). (kubelet, 1
    min 56 s ago)
  - Node m789d is closed to new pods. (cluster, when is not known)

Ruled out
  - not evicted, drained or preempted: its pod has no mark of that

Not known
  - what the forge says about its job

Timeline (UTC)
  2026-01-01
  23:59:59.123  ledger  First seen: the forge says queued; pool linux serves it.
                        (webhook)
  2026-01-02
  03:04:03.500  agent   The kernel wrote: Memory cgroup out of memory.
  03:04:04.000  kubelet Container runner ended: exit code 137 (Error).

What Holdfast did
  03:04:10.000  running-without-runner: end-attempt: ok (2 times in 30 s)
                - The runner of a delivered job ended, and its death is on
                  record.

What to do
  - Give the pool more memory: resources.limits.memory.

Its last lines (what it ran wrote them: never proof)
  | added 1204 packages
  | Killed`)
  })

  it('says first why the job failed, then how its runner ended', () => {
    const jobVerdict = {
      class: 'own-step' as const,
      confidence: 'proven' as const,
      rule: 'its own step failed',
      step: 'Run npm test',
      sentence: 'in the step "Run npm test" the job failed by itself (own-step, proven)',
      because: ['The forge says so.'],
    }
    const both = { ...whole, jobVerdict, isChanged: false }
    expect(text(both)).toContain(`Verdict
  In the step "Run npm test" the job failed by itself (own-step, proven).
  - The forge says so.
  Its runner ran out of memory (container-oom, proven).`)
    expect(text({ ...both, verdict: null })).not.toContain('None.')
    expect(explanationMarkdown(both)).toMatch(
      /\*\*Verdict:\*\* In the step .*\*\*Verdict:\*\* Its runner ran/s,
    )
  })

  it('leaves out sections that are empty', () => {
    expect(text(nothingYet)).toBe(`Runner linux-1
  The runner lives (polling, last seen 3 s ago): nothing has ended.
  runner  linux-1, pool linux, polling

Verdict
  None.

Timeline (UTC)
  2026-01-02
  03:04:05.000  ledger  The runner asked for work. (dispatch)`)
  })

  it('breaks a long word that has no space', () => {
    const image = `registry.example/${'x'.repeat(200)}`
    const lines = text({
      ...whole,
      unknown: [image],
      evidence: [{ source: 'kubelet', at: null, text: image }],
    }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.join('').replaceAll(/[\s-]/g, '')).toContain('x'.repeat(100))
  })

  it('colours only where colours are', () => {
    const coloured = explanationText(whole, { ...context, colors: createColors(true) })
    expect(coloured).toContain('\u001b[1mVerdict\u001b[22m')
    expect(text(whole)).not.toContain('\u001b')
  })
})

const hostile = [
  '```',
  '</pre><script>alert(1)</script>',
  '`'.repeat(40),
  '~~~',
  '   ````',
  '\u001b[2J\u001b]0;gone\u0007',
  '@everyone see #1 and acme/web#2',
].join('\n')

describe('an explanation to paste', () => {
  it('is whole', () => {
    expect(explanationMarkdown(whole)).toBe(`### Job 12, acme/web · integration tests

The runner ended 1 min 56 s ago, and its death is on record.

- **job**: github:87, lost (failure)
- **runner**: linux-3f5a2c81, pool linux, ended
- **pod**: ci/linux-3f5a2c81 on m789d

**Verdict:** Its runner ran out of memory (container-oom, proven).

- The kernel on m789d killed process 4711 (node) of its group at the memory limit of 2 GiB.

Sealed 1 min 51 s ago as: its runner was killed (sigkill-unknown, likely). What is known by now says otherwise.

#### Evidence

| source | age | what |
| --- | --- | --- |
| kubelet | 1 min 56 s | Container runner ended after 1 h 2 min: exit code 137 (Error). |
| cluster | not known | Node m789d is closed to new pods. |

#### Ruled out

- not evicted, drained or preempted: its pod has no mark of that

#### Not known

- what the forge says about its job

#### Timeline (UTC)

| time | source | what |
| --- | --- | --- |
| 2026-01-01 23:59:59.123 | ledger | First seen: the forge says queued; pool linux serves it. (webhook) |
| 2026-01-02 03:04:03.500 | agent | The kernel wrote: Memory cgroup out of memory. |
| 2026-01-02 03:04:04.000 | kubelet | Container runner ended: exit code 137 (Error). |

#### What Holdfast did

- 2026-01-02T03:04:10.000Z running-without-runner: end-attempt: ok

#### What to do

- Give the pool more memory: resources.limits.memory.

#### Its last lines (what it ran wrote them: never proof)

\`\`\`text
added 1204 packages
Killed
\`\`\``)
  })

  it('keeps a hostile log inside its fence', () => {
    const lines = explanationMarkdown({ ...whole, tail: hostile }).split('\n')
    const open = lines.findIndex((line) => /^`+text$/.test(line))
    const fence = (lines[open] ?? '').replace('text', '')
    // CommonMark: a fence is closed by a line of at least as many backticks, and nothing else but spaces.
    const closing = lines.findIndex(
      (line, at) => at > open && new RegExp(`^ {0,3}\`{${fence.length},} *$`).test(line),
    )
    expect(closing).toBe(lines.length - 1)
    expect(fence.length).toBeLessThan(12)
    expect(lines.join('')).not.toMatch(/\p{Cc}/u)
    expect(text({ ...whole, tail: hostile }).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('keeps what others wrote from being markup, a mention or a table', () => {
    const text = 'a | b `c` <img src=x> **d** [e](http://f) @octocat #12 \\'
    const [line] = explanationMarkdown({ ...whole, unknown: [text] })
      .split('\n')
      .filter((each) => each.includes('octocat'))
    expect(line).toBe(
      '- a \\| b \\`c\\` \\<img src=x\\> \\*\\*d\\*\\* \\[e\\](http://f) @\u200boctocat \\#\u200b12 \\\\',
    )
  })

  it('does not let a text begin a list or a heading of its own', () => {
    const markdown = explanationMarkdown({ ...whole, summary: '1. # first' })
    expect(markdown).toContain('\n1\\. \\# first\n')
  })
})
