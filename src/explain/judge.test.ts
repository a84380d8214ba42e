import { describe, expect, it } from 'vitest'
import { attempt, death, explained, found, podEnding, ring, second } from '../../test/support/explain.ts'
import { aJob, anAttempt, anEnding, now } from '../../test/support/rows.ts'
import { classifyDeath, type DeathRecord } from '../domain/death/index.ts'
import { aPodEnd, aRunnerEnd } from '../domain/death/testing.ts'

describe('a record that is judged again', () => {
  const plain = anEnding({
    ...podEnding,
    pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 137, startedAt: now - 5 * second })] }),
  })

  it('shows both verdicts where the agent reported more after it was sealed', () => {
    const sealed = classifyDeath(plain)
    expect(sealed.class).toBe('sigkill-unknown')
    const { verdict, sealed: shown, isChanged, isReached } = explained(found([death(sealed)]), ring)
    expect(shown).toMatchObject({ class: 'sigkill-unknown', isComplete: true })
    expect(verdict?.class).toMatch(/oom/)
    expect([isChanged, isReached]).toEqual([true, true])
  })

  it('says that nothing changed where nothing did', () => {
    const { verdict, sealed, isChanged } = explained(found([death(classifyDeath(podEnding))]))
    expect(verdict).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(sealed).toMatchObject({ class: 'container-oom', confidence: 'likely' })
    expect(isChanged).toBe(false)
  })

  it('takes what the forge reported after it was sealed, and shows what it was then', () => {
    const running = { ...attempt, jobId: 1, attemptId: 1, forgeJobId: 101, repository: 'acme/app' }
    const before = {
      jobId: 1,
      forgeJobId: 101,
      repository: 'acme/app',
      attemptId: 1,
      attemptState: 'running' as const,
      startedAt: running.startedAt,
      forgeStatus: 'in_progress',
      conclusion: null,
      heardAt: now - 3 * second,
    }
    const record = classifyDeath(anEnding({ exitCode: 0 }), { job: before, ring: null })
    const { evidence, verdict } = explained(found([death(record)]))
    expect(evidence.find(({ source }) => source === 'forge')?.text).toBe(
      'The forge says that the job is completed (failure). When the record was sealed it said in progress.',
    )
    const again = classifyDeath(record.ending, {
      job: { ...before, forgeStatus: 'completed', conclusion: 'failure' },
      ring: null,
    })
    expect(verdict?.class).toBe(again.class)
  })

  it('does not judge a runner by what the forge says about another that ran the job later', () => {
    const record = classifyDeath(anEnding({ signal: 'SIGKILL' }))
    const later = anAttempt({ id: 2, runnerId: 2, forgeRunnerName: 'linux-2-00000002' })
    const job = aJob({
      state: 'completed',
      conclusion: 'success',
      executor: 'linux-2-00000002',
      endedAt: now,
    })
    const given = found([death(record)], {
      job: { job, attempts: [attempt, later] },
      runner: { attempts: [{ attempt, job }] },
    })
    const { evidence, verdict } = explained({ ...given, kind: 'runner' })
    expect(evidence.some(({ source }) => source === 'forge')).toBe(false)
    expect(verdict?.class).toBe('sigkill-unknown')
  })

  it('keeps a verdict that was reached without the rules until something is proven', () => {
    const givenUp = {
      ...classifyDeath(null),
      rule: 'given up',
      class: 'node-lost',
      confidence: 'likely',
    } as const
    const { verdict, isChanged } = explained(found([death(givenUp)]))
    expect([verdict?.class, isChanged]).toEqual(['node-lost', false])
  })

  it('reads a record of a version that knew less', () => {
    const old = {
      outcome: 'complete',
      class: 'sigkill-unknown',
      confidence: 'likely',
      because: ['SIGKILL ended it.'],
      ending: {
        exitCode: 137,
        signal: null,
        startedAt: now - 5 * second,
        endedAt: now,
        tail: '',
        oomKills: null,
        pod: {
          place: { namespace: 'ci', pod: 'p', uid: 'u', node: 'n' },
          phase: 'Failed',
          containers: [{ name: 'runner', exitCode: 137 }],
        },
      },
    }
    const { verdict, pod, timeline } = explained(found([death(old as unknown as DeathRecord)]))
    expect(verdict?.class).toBe('sigkill-unknown')
    expect(pod).toEqual({ namespace: 'ci', pod: 'p', uid: 'u', node: 'n' })
    expect(timeline.length).toBeGreaterThan(0)
  })

  it('does not know a class that a later version has', () => {
    const strange = {
      ...classifyDeath(null),
      class: 'abducted',
      rule: 'from the future',
      confidence: 'unknown',
    }
    const { sealed } = explained(found([death(strange as unknown as DeathRecord)]))
    expect(sealed?.class).toBe('unknown')
  })
})
