import { describe, expect, it } from 'vitest'
import { now } from '../../test/support/rows.ts'
import { explanationSchema } from '../api/index.ts'
import { explainLog } from './from-log.ts'

describe('a log alone', () => {
  const log = (text: string) => explainLog({ name: 'x.log', text, isCut: false, writtenAt: now }, now)

  it('is never more than likely, whatever it says', () => {
    const texts = [
      'Error: ENFILE: file table overflow, open',
      'Memory cgroup out of memory: Killed process 1 (node)',
      'ENOSPC: no space left on device',
      'The process was killed by signal 9',
      '',
    ]
    for (const text of texts) {
      const explanation = log(text)
      expect(explanationSchema.parse(explanation)).toEqual(explanation)
      expect([explanation.verdict?.confidence, explanation.jobVerdict?.confidence]).not.toContain('proven')
      expect(explanation.unknown.join()).toContain('everything but its log')
    }
  })

  it('names what the words in it stand for', () => {
    const enfile = log("npm ERR! Error: ENFILE: file table overflow, open '/x'\n")
    expect(enfile).toMatchObject({
      jobVerdict: { class: 'host-file-table', confidence: 'likely' },
      isReached: true,
    })
    expect(enfile.verdict).toBeNull()
    expect(log('nothing of note\n')).toMatchObject({ verdict: { class: 'unknown' }, isReached: false })
  })

  it("of GitHub's names the step that failed", () => {
    const lines = [
      '2026-01-02T03:04:05.1234567Z ##[group]Run actions/checkout@v4',
      '2026-01-02T03:04:06.1234567Z ##[group]Run npm test',
      '2026-01-02T03:04:07.1234567Z 1 failing',
      '2026-01-02T03:04:08.1234567Z ##[error]Process completed with exit code 1.',
    ]
    expect(log(lines.join('\n'))).toMatchObject({
      jobVerdict: {
        class: 'own-step',
        step: 'Run npm test',
        sentence:
          'in the step "Run npm test" the job failed by itself: nothing points to its runner (own-step, likely)',
      },
      verdict: null,
    })
  })

  it("keeps the runner's own words next to the job's", () => {
    const both = 'npm error code ENOSPC\nA session for this runner already exists.\n'
    expect(log(both)).toMatchObject({
      jobVerdict: { class: 'disk-full' },
      verdict: { class: 'session-conflict' },
    })
  })
})
