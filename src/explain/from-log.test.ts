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
      expect(explanation.verdict?.confidence).not.toBe('proven')
      expect(explanation.unknown.join()).toContain('everything but its log')
    }
  })

  it('names what the words in it stand for', () => {
    expect(log("npm ERR! Error: ENFILE: file table overflow, open '/x'\n").verdict?.class).toBe(
      'host-file-table',
    )
    expect(log('nothing of note\n')).toMatchObject({ verdict: { class: 'unknown' }, isReached: false })
  })
})
