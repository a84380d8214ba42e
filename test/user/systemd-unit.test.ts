import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { outcomesOf, submit } from '../program/support/jobs.ts'
import { newPlace } from '../program/support/place.ts'
import { launch } from '../program/support/program.ts'
import { whyNoMounts } from '../support/small-disk.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { asSystemdStartsIt } from './support/systemd-unit.ts'

const whyNot = whyNoMounts()
if (whyNot !== null) console.warn(`NOT TRIED, Holdfast with what its systemd unit leaves it: ${whyNot}`)

describe.skipIf(whyNot !== null)('under the sandbox of deploy/systemd/holdfast.service', () => {
  it('runs jobs as users of their own, is found by a second terminal, and ends in order', async () => {
    const outside = untilTestEnds(await newPlace())
    // Numbers of its own: other Holdfasts of this machine do not see the folder by which it claims them.
    const settings = JSON.stringify({
      http: { port: Number(new URL(outside.url).port) },
      forge: { simulated: { port: outside.forgePort } },
      runners: { uids: '60610-60629' },
    })
    const program = untilTestEnds(launch(outside, asSystemdStartsIt(settings)))
    await program.says(/"msg":"serving|Holdfast serves/)
    const inside = `/proc/${program.pid}/root`
    const place = { ...outside, dataDir: `${inside}/var/lib/holdfast` }

    const seen = `echo "user $(id -u), others $(ls -d /proc/[0-9]* | xargs stat -c %u | grep -vcx "$(id -u)")"`
    const ids = await submit(place, `${seen}; ! touch /var/lib/holdfast/x /usr/x /etc/x`)
    expect(await outcomesOf(place, ids)).toEqual(['success'])
    const second = ['nsenter', `--mount=/proc/${program.pid}/ns/mnt`, '/opt/holdfast/bin/holdfast']
    const { XDG_RUNTIME_DIR: _, HOLDFAST_DATA_DIR: __, HOLDFAST_HTTP_PORT: ___, ...env } = outside.env
    const { out, err } = await launch({ ...outside, env }, { command: second, args: ['log', '1'] }).ended
    expect(out + err).toMatch(/user 606[12]\d, others 0/)
    expect(await readdir(`${inside}/run/holdfast`)).toEqual([`${program.pid}.json`])
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
  })
})
