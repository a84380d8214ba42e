import { describe, expect, it } from 'vitest'
import { failingLineOf, originOf } from './failing-line.ts'
import { locate } from './locate.ts'
import { runnerHost } from './testing.ts'

const hosts = [runnerHost(), runnerHost({ name: 'honey-am-3', root: '/srv/honey-am-3' })]
const path = '/srv/honey-am-2/_work/scheduling-bridge/scheduling-bridge/dist/a.js'
const removed = `2026-01-02T03:04:05.1234567Z ##[error]File was unable to be removed Error: EACCES: permission denied, unlink '${path}'`

describe('the failing line of a log', () => {
  it.each([
    [removed, 'not-removable'],
    [`EACCES: permission denied, rmdir '${path}'`, 'not-removable'],
    [`Error: EPERM: operation not permitted, unlink '${path}'`, 'not-removable'],
    [`error: unable to unlink old '${path}': Permission denied`, 'not-removable'],
    [`warning: failed to remove ${path}: Permission denied`, 'not-removable'],
    [`fatal: Unable to create '${path}': File exists.`, 'locked'],
    [`error: could not lock config file ${path}: File exists`, 'locked'],
  ])('is %s', (line, kind) => {
    expect(failingLineOf(['Run actions/checkout@v4', line, 'and more'])).toMatchObject({ kind, path })
  })

  it.each([
    "npm error code EACCES: permission denied, access '/usr/lib/node_modules'",
    `EACCES: permission denied, unlink '/srv/honey-am-2/_work/../../../etc/passwd'`,
    `EACCES: permission denied, unlink 'dist/a.js'`,
    `${'x'.repeat(9_000)} EACCES: permission denied, unlink '${path}'`,
  ])('is not %s', (line) => {
    expect(failingLineOf([line])).toBeNull()
  })
})

describe('a failing line leads', () => {
  const at = (given: string, lines: string[] = [], declared = hosts) => {
    const line = failingLineOf([`EACCES: permission denied, unlink '${given}'`])
    if (line === null) throw new Error('no line')
    return locate(line, originOf(lines), declared)
  }

  it('to the declared host whose work folder has the path, and to the folder there', () => {
    expect(at(path)).toMatchObject({
      kind: 'found',
      host: { name: 'honey-am-2' },
      folder: 'scheduling-bridge',
    })
  })

  it('to none where only the beginning of the name is the same', () => {
    expect(at('/srv/honey-am-22/_work/web/web/a')).toMatchObject({ kind: 'nowhere', folder: 'web' })
  })

  it('to none that is not declared, with the folder by the usual layout', () => {
    expect(at('/home/runner/_work/web/web/a')).toMatchObject({ kind: 'nowhere', folder: 'web' })
  })

  const twins = hosts.map((host) => ({ ...host, root: '/home/runner' }))
  it('to the one that the log names where several have the same path', () => {
    const lines = [
      '2026-01-02T03:04:05.1Z Current runner version',
      "2026-01-02T03:04:05.1Z Runner name: 'honey-am-3'",
    ]
    expect(at('/home/runner/_work/web/web/a', lines, twins)).toMatchObject({ host: { name: 'honey-am-3' } })
  })

  it('to none of them where the log names no runner, or another', () => {
    expect(at('/home/runner/_work/web/web/a', [], twins)).toMatchObject({ kind: 'nowhere' })
    expect(at('/home/runner/_work/web/web/a', ['Runner name: other'], twins)).toMatchObject({
      kind: 'nowhere',
    })
  })

  it.each(['$(reboot)', '-rf', 'a b', '\u001b[2J'])('to no folder that is named %j', (name) => {
    expect(at(`/srv/honey-am-2/_work/${name}/x`)).toMatchObject({ kind: 'nowhere', folder: null })
  })
})
