import { describe, expect, it } from 'vitest'
import { commandWith } from './judging.ts'

describe('a command with names of a snapshot', () => {
  it('can be typed as it stands', () => {
    expect(commandWith('holdfast triage', 'https://github.com/acme/web/actions/runs/1/job/2')).toBe(
      'holdfast triage https://github.com/acme/web/actions/runs/1/job/2',
    )
    expect(commandWith('holdfast explain --namespace', 'ci', 'job-1')).toBe(
      'holdfast explain --namespace ci job-1',
    )
  })

  it.each(['my label', 'linux;reboot', '$(reboot)', '--all', '', 'a\nb'])(
    'is none with the name %j',
    (name) => {
      expect(commandWith('holdfast capacity check --label', name)).toBeNull()
    },
  )
})
