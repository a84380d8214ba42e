import { describe, expect, it } from 'vitest'
import { answering, routed } from '../../../test/contract/github/answering.ts'
import { clock, recordedLog } from '../../../test/support/machine.ts'
import { createCall } from './call.ts'
import { createVersions, versionOf } from './version.ts'

const never = new AbortController().signal

describe('the release of Gitea', () => {
  it.each([
    ['1.26.0', 'given', true],
    ['1.26.4+12-gabcdef', 'given', true],
    ['1.27.3', 'attempt', true],
    ['1.25.2', 'given', false],
    ['1.28.0+dev-100-gabcdef', 'attempt', false],
    ['2.0.0', 'attempt', false],
    ['development', 'attempt', false],
  ] as const)('%s counts by %s; tried: %s', (text, counting, isTried) => {
    expect(versionOf(text)).toEqual({ text, counting, isTried })
  })

  it.each([
    ['1.27.3', 'info'],
    ['1.31.0', 'warn'],
  ])('%s is logged once, with level %s', async (version, level) => {
    const log = recordedLog()
    const url = await answering(routed({ '/api/v1/version': [200, { version }] }, []))
    const call = createCall({ url, token: () => 't', timeoutMs: 1_000, clock })
    const versions = createVersions(call, log)
    expect(versions.current()).toBeNull()
    await versions.read(never)
    await versions.read(never)
    expect(versions.current()?.text).toBe(version)
    expect(log.lines.map((line) => line.level)).toEqual([level])
  })
})
