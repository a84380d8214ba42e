import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostActsContract } from '../../../test/contract/runner-hosts/acts.ts'
import { runnerHostsContract } from '../../../test/contract/runner-hosts/contract.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createPausedFind } from '../../../test/support/workdirs/paused-find.ts'
import { makeRealHost } from '../../../test/support/workdirs/real-host.ts'
import { createTwinHost } from '../../../test/support/workdirs/twin.ts'
import { createClock } from '../../platform/clock.ts'
import { createHostActs, createLocalHosts, createSshHosts } from './index.ts'

const isRoot = process.getuid?.() === 0
const ownerUid = isRoot ? 1001 : undefined
const clock = createClock()

/** Each look at the clock but the first two is in the middle of the entries. */
function clockWithAct() {
  let [looks, act] = [0, async (): Promise<unknown> => undefined]
  return {
    whileReading(_work: string, given: () => Promise<unknown>) {
      act = given
      looks = 0
    },
    clock: {
      ...clock,
      now() {
        looks += 1
        if (looks === 3) void act()
        return clock.now()
      },
    },
  }
}

const localActs = createHostActs({ clock, program: 'ssh', env: process.env })

async function madeHere() {
  const { clock: acting, whileReading } = clockWithAct()
  const hosts = createLocalHosts({ clock: acting })
  return makeRealHost({ hosts, acts: localActs, ...(ownerUid && { ownerUid }), whileReading })
}

runnerHostsContract('this machine', madeHere, isRoot)
hostActsContract('this machine', madeHere, isRoot)

runnerHostsContract('the simulated twin', async () => createTwinHost(), true)
hostActsContract('the simulated twin', async () => createTwinHost(), true)

const ssh = { address: 'honey', port: 22, user: 'runner', knownHosts: '/etc/known', identityFile: null }

/** Stands for `ssh` and the host behind it: runs the command that a host would be asked to run. */
async function standIn(text: string): Promise<string> {
  const folder = untilTestEnds(await temporaryFolder())
  const program = path.join(folder.path, 'ssh')
  await writeFile(program, `#!/bin/sh\n${text}\n`)
  await chmod(program, 0o755)
  return program
}

async function madeByScript() {
  const paused = await createPausedFind(untilTestEnds(await temporaryFolder()).path)
  const program = await standIn(`for last; do :; done; SSH_ORIGINAL_COMMAND=$last exec ${paused.runner}`)
  const deps = { clock, program, env: process.env }
  const { whileReading } = paused
  const sources = { hosts: createSshHosts(deps), acts: createHostActs(deps) }
  return makeRealHost({ ...sources, ssh, ...(ownerUid && { ownerUid }), whileReading })
}

const scriptName = 'the script that ssh is given, run by a stand-in for ssh'
runnerHostsContract(scriptName, madeByScript, isRoot)
hostActsContract(scriptName, madeByScript, isRoot)

describe('an account that may not list everything', () => {
  it.skipIf(!isRoot)('names the directories that it could not, and the reading is not whole', async () => {
    const last = 'for last; do :; done; exec setpriv --reuid 1001 --regid 1001 --clear-groups sh -c "$last"'
    const hosts = createSshHosts({ clock, program: await standIn(last), env: process.env })
    const made = untilTestEnds(
      await makeRealHost({ hosts, acts: localActs, ssh, ownerUid: 1001, whileReading: () => {} }),
    )
    await made.directory('web/web/secret/deep', { uid: 0, mode: 0o700 })
    await made.directory('api/api')
    expect(await hosts.look(made.host, new AbortController().signal)).toMatchObject({
      facts: {
        readerUid: 1001,
        entryCount: 6,
        notable: [{ path: 'web/web/secret/deep', uid: 0, mode: 0o700, isReadable: false }],
        cuts: ['the account that looked may not list some directories'],
      },
    })
  })
})

describe.skipIf(!isRoot)('an act by an account that is not root', () => {
  const made = async () => {
    const last = 'for last; do :; done; exec setpriv --reuid 1001 --regid 1001 --clear-groups sh -c "$last"'
    const deps = { clock, program: await standIn(last), env: process.env }
    const sources = { hosts: createSshHosts(deps), acts: createHostActs(deps) }
    return untilTestEnds(await makeRealHost({ ...sources, ssh, ownerUid: 1001, whileReading: () => {} }))
  }
  const treat = async (
    { hosts, acts, host }: Awaited<ReturnType<typeof made>>,
    mode: 'remove' | 'unlock',
  ) => {
    const reading = await hosts.look(host, new AbortController().signal)
    if (reading.kind !== 'read' || reading.facts.folder.kind !== 'folder') throw new Error('not read')
    const { folder, top } = reading.facts
    const ids = { root: folder.root.id, work: folder.id, folder: top[0]?.id ?? '' }
    const target = { folder: 'web', mode, ids, ownerUid: 1001 }
    return acts.treatFolder(host, target, new AbortController().signal)
  }

  it('is refused whole where its rights do not reach everything', async () => {
    const host = await made()
    await host.file('web/web/own')
    await host.directory('web/web/dist', { uid: 0 })
    await host.file('web/web/dist/app.js', { uid: 0 })
    await expect(treat(host, 'remove')).rejects.toThrow('lacks the rights')
    expect(await host.list()).toEqual([
      'web',
      'web/web',
      'web/web/dist',
      'web/web/dist/app.js',
      'web/web/own',
    ])
  })

  it('removes what is its own, also where its write bits are gone', async () => {
    const host = await made()
    await host.file('web/web/mod/deep/a', { mode: 0o444 })
    await host.directory('web/web/mod/deep', { mode: 0o555 })
    await host.directory('web/web/mod', { mode: 0o555 })
    expect(await treat(host, 'remove')).toBe('done')
    expect(await host.list()).toEqual(['web'])
  })

  it('unlocks what is its own', async () => {
    const host = await made()
    await host.directory('web/web/mod', { mode: 0o555 })
    expect(await treat(host, 'unlock')).toBe('done')
    expect(await host.modeOf('web/web/mod')).toBe(0o755)
  })
})

describe('a service of systemd', () => {
  it.skipIf(!isRoot)(
    'is controlled by fixed verbs, and its words are given on where it refuses',
    async () => {
      const folder = untilTestEnds(await temporaryFolder()).path
      const paused = await createPausedFind(folder)
      const systemctl = path.join(folder, 'systemctl')
      await writeFile(
        systemctl,
        `#!/bin/sh\necho "$#:$*" >>${folder}/asked\n[ "$3" = start ] || { echo "no such unit"; exit 5; }\n`,
      )
      await chmod(systemctl, 0o755)
      const program = await standIn(`for last; do :; done; SSH_ORIGINAL_COMMAND=$last exec ${paused.runner}`)
      const deps = { clock, program, env: process.env }
      const sources = { hosts: createSshHosts(deps), acts: createHostActs(deps) }
      const made = untilTestEnds(await makeRealHost({ ...sources, ssh, whileReading: () => {} }))
      const host = { ...made.host, service: { kind: 'systemd', unit: 'actions.runner.a.service' } } as const
      const reading = await made.hosts.look(host, new AbortController().signal)
      if (reading.kind !== 'read' || reading.facts.folder.kind !== 'folder') throw new Error('not read')
      const control = (verb: 'start' | 'stop', rootId: string) =>
        made.acts.controlService(host, { verb, rootId, listeners: [] }, new AbortController().signal)
      const { id } = reading.facts.folder.root
      expect(await control('start', id)).toBe('done')
      await expect(control('stop', id)).rejects.toThrow('ended with 5: no such unit')
      const asked = ['start', 'stop'].map(
        (verb) => `5:--no-ask-password --no-pager ${verb} -- actions.runner.a.service`,
      )
      expect((await readFile(path.join(folder, 'asked'), 'utf8')).trim().split('\n')).toEqual(asked)
    },
  )
})

describe('an act whose answer does not come', () => {
  const host = { name: 'honey', root: '/srv/honey', workFolder: '_work', ownerUid: null, service: null, ssh }
  const target = {
    folder: 'web',
    mode: 'remove',
    ids: { root: '1:1', work: '1:2', folder: '1:3' },
    ownerUid: 1001,
  } as const
  const treat = async (text: string) =>
    createHostActs({ clock, program: await standIn(text), env: process.env }).treatFolder(
      host,
      target,
      new AbortController().signal,
    )

  it.each([
    ['nothing', 'cat >/dev/null'],
    ['half of an answer', 'cat >/dev/null; printf "holdfast-act-1\\0done\\0"'],
    ['another format', 'cat >/dev/null; printf "holdfast-act-9\\0done\\0END\\0"'],
    ['an answer that goes on', 'cat >/dev/null; printf "holdfast-act-1\\0done\\0END\\0more"'],
    ['a session that was cut', 'echo "Connection to honey closed by remote host." >&2; exit 255'],
    ['a session that was killed', 'kill -9 $$'],
  ])('is unknown: %s', async (_, text) => {
    expect(await treat(text)).toBe('unknown')
  })

  it.each([
    ['a host key that is not known', 'echo "Host key verification failed." >&2; exit 255', /host key/],
    ['keys that are not accepted', 'echo "a@b: Permission denied (publickey)." >&2; exit 255', /our keys/],
    [
      'nobody who listens',
      'echo "ssh: connect to host honey port 22: Connection refused" >&2; exit 255',
      /refused/,
    ],
  ])('was not begun with %s', async (_, text, why) => {
    await expect(treat(text)).rejects.toThrow(why)
  })
})

describe('an answer over ssh', () => {
  const host = { name: 'honey', root: '/srv/honey', workFolder: '_work', ownerUid: null, service: null, ssh }
  const look = async (text: string) =>
    createSshHosts({ clock, program: await standIn(text), env: process.env }).look(
      host,
      new AbortController().signal,
    )
  const head = 'holdfast-workdir-2\\0C1767323045 1001\\0'
  const rest = 'Wfolder 1001 1:2 1:1 /srv/honey\\0S4096 10 5 10 5\\0p1\\0'

  it.each([
    ['nothing', 'true'],
    ['another format', 'printf "holdfast-workdir-3\\0"'],
    ['a greeting of the login shell before it', `printf "Welcome!\\n${head}Wmissing\\0END\\0"`],
    ['an answer without its end', `printf "${head}${rest}"`],
    ['an answer that goes on after its end', `printf "${head}Wmissing\\0END\\0more"`],
    ['an answer with an empty token after its end', `printf "${head}Wmissing\\0END\\0\\0"`],
    [
      'a folder that is a path',
      `printf "${head}${rest}Fd 1:3 1.5 0 a/b\\0f0\\0\\0X\\0\\0Z0\\0\\0X\\0p1\\0END\\0"`,
    ],
    ['a mode that is none', `printf "${head}${rest}f0\\0\\0X\\0Ed 0 9 1 1.0 a\\0Z0\\0\\0X\\0p1\\0END\\0"`],
    ['no GNU find', 'printf "holdfast-workdir-2\\0N\\0"'],
  ])('that is %s is refused', async (_, text) => {
    expect(await look(text)).toMatchObject({ kind: 'unreachable' })
  })

  it('that was cut in the middle of a name keeps what is whole, and says so', async () => {
    const entries = '..Ed 0 755 2 1.5 web/dist\\0/2.Ed 0 755 3 1.5 web/di'
    const reading = await look(
      `printf "${head}${rest}Fd 1:3 1.5 0 web\\0f0\\0\\0X\\0${entries}\\0X\\0p1\\0END\\0"`,
    )
    expect(reading).toMatchObject({
      facts: {
        notable: [{ path: 'web/dist' }],
        cuts: ['there are more entries than are read'],
        entryCount: 3,
      },
    })
  })

  it.each([
    ['Z124', 'the entries could not all be read in 60 s'],
    ['/64\\0Z0', 'folders are nested deeper than 64'],
    ['Ud 0 700 1 1.5 web\\0Z1', 'the account that looked may not list some directories'],
    ['Z1', 'entries changed or could not be read meanwhile'],
  ])('that ends with %s is not whole: %s', async (entries, cut) => {
    const reading = await look(`printf "${head}${rest}f0\\0\\0X\\0${entries}\\0\\0X\\0p1\\0END\\0"`)
    expect(reading).toMatchObject({ facts: { cuts: [cut] } })
  })

  it('without an end in sight is stopped', async () => {
    expect(await look('exec cat /dev/zero')).toMatchObject({
      why: 'its answer is larger than any that it may give',
    })
  })

  it.each([
    ['@@@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @@@', /another machine may answer/],
    ['Host key verification failed.', /its host key is not known/],
    ['runner@honey: Permission denied (publickey).', /none of our keys/],
    ['ssh: connect to host honey port 22: Connection refused', /^ssh says: .*Connection refused$/],
  ])('that is missing because of "%s" is explained', async (text, why) => {
    expect(await look(`echo "${text}" >&2; exit 255`)).toMatchObject({
      kind: 'unreachable',
      why: expect.stringMatching(why),
    })
  })

  it('is missing where there is no ssh on this machine', async () => {
    const hosts = createSshHosts({ clock, program: '/nowhere/ssh', env: {} })
    expect(await hosts.look(host, new AbortController().signal)).toMatchObject({
      why: 'there is no program /nowhere/ssh on this machine',
    })
  })

  it.each([
    { address: '-oProxyCommand=id' },
    { address: 'a b' },
    { user: '-l' },
    { user: 'a;b' },
    { knownHosts: '/etc/known hosts' },
    { knownHosts: 'none' },
    { identityFile: '/etc/%h' },
  ])('is not asked for with %j', async (given) => {
    const hosts = createSshHosts({ clock, program: await standIn('exit 0'), env: process.env })
    const bad = { ...host, ssh: { ...ssh, ...given } }
    expect(await hosts.look(bad, new AbortController().signal)).toMatchObject({
      why: expect.stringContaining('safe to use'),
    })
  })
})
