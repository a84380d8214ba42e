import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRoot } from '../../../../test/support/embedded.ts'
import { temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { processesOfUser } from '../proc/index.ts'
import { clock, keepingLog, until } from '../testing/harness.ts'
import { throughOf } from './as-user.ts'
import {
  asUser,
  createRunnerUsers,
  findSharedUser,
  prepareIsolation,
  type RunnerUser,
  type SharedUser,
} from './index.ts'

/** Outside of the default range, so that no runner of another test has one of them. */
const range = { first: 58_701, last: 58_703 }

describe.runIf(isRoot)('the users of local runners', () => {
  it('are each assigned once, also between two Holdfasts, and again after they were given back', async () => {
    const { users, isolation, runners } = await open()
    const others = createRunnerUsers(isolation, '/elsewhere', clock, keepingLog())
    const taken = [
      await users.take(runners('a')),
      await others.take('/elsewhere/b'),
      await users.take(runners('c')),
    ]
    expect(taken.map(({ uid }) => uid).sort()).toEqual([58_701, 58_702, 58_703])
    await expect(users.take(runners('d'))).rejects.toThrow('no user is free')
    await users.giveBack(taken[0] as RunnerUser)
    expect((await users.take(runners('d'))).uid).toBe(taken[0]?.uid)
    for (const each of taken) await others.giveBack(each)
  })

  it('have a home that only they can enter', async () => {
    const { users, runners } = await open()
    const [mine, other] = [await users.take(runners('a')), await users.take(runners('b'))]
    expect((await stat(mine.home)).mode & 0o777).toBe(0o700)
    expect(await asUser(mine.through, 'cd "$1" && touch work/x tmp/x', mine.home)).toBeNull()
    expect(await asUser(other.through, 'ls "$1"', mine.home)).not.toBeNull()
    await users.giveBack(mine)
    await users.giveBack(other)
  })

  it('leave no process and no file behind when they are given back', async () => {
    const { users, isolation, runners } = await open()
    const user = await users.take(runners('a'))
    const left = `/tmp/holdfast-users-test-${user.uid}`
    const script = `mkdir -p ${left}/deep; chmod 0 ${left}; mkdir -m 0 "$HOME/shut"; setsid sleep 100 & wait`
    const [program = '', ...args] = user.through
    const env = { HOME: user.home, PATH: '/usr/bin:/bin' }
    const child = spawn(program, [...args, '/bin/sh', '-c', script], { env, cwd: '/', stdio: 'ignore' })
    const ended = once(child, 'exit')
    await until('its daemon runs', async () => (await processesOfUser(user.uid)).length >= 2)
    await users.giveBack(user)
    await ended
    expect(await processesOfUser(user.uid)).toEqual([])
    await expect(stat(left)).rejects.toThrow('ENOENT')
    expect(await readdir(isolation.folder)).toEqual([])
  })

  it('are reclaimed after a crash where their runner is gone, and kept where it still exists', async () => {
    const { users, isolation, runners } = await open()
    const gone = await users.take(runners('gone'))
    const there = await users.take(runners('there'))
    await mkdir(runners('there'))
    await forgetTaker(gone)
    await forgetTaker(there)
    await users.reclaim()
    expect(await readdir(isolation.folder)).toEqual([String(there.uid)])
    await users.giveBack(there)
  })

  it('are not assigned while another process runs as them', async () => {
    const { users, isolation, runners } = await open()
    const [program = '', ...args] = throughOf(isolation, range.last)
    const child = spawn(program, [...args, '/bin/sleep', '100'], { stdio: 'ignore', cwd: '/' })
    const ended = once(child, 'exit')
    await until('it runs', async () => (await processesOfUser(range.last)).length > 0)
    const taken = [await users.take(runners('a')), await users.take(runners('b'))]
    expect(taken.map(({ uid }) => uid).sort()).toEqual([58_701, 58_702])
    await expect(users.take(runners('c'))).rejects.toThrow('no user is free')
    child.kill('SIGKILL')
    await ended
    for (const each of taken) await users.giveBack(each)
  })
})

describe.runIf(isRoot)('one user for all local runners', () => {
  const ci = { name: 'ci', uid: 58_711, gid: 58_712 }

  it('gives each runner a home of its own, as that user and its group', async () => {
    const { users, runners } = await open(ci)
    const [mine, other] = [await users.take(runners('a')), await users.take(runners('b'))]
    expect([mine, other]).toMatchObject([
      { uid: ci.uid, isShared: true },
      { uid: ci.uid, isShared: true },
    ])
    expect(mine.home).not.toBe(other.home)
    for (const each of [mine.home, path.join(mine.home, 'work'), path.join(mine.home, 'tmp')])
      expect(await stat(each)).toMatchObject({ uid: ci.uid, gid: ci.gid })
    const script = 'cd "$1" && touch work/x tmp/x && [ "$(id -u) $(id -G)" = "$2" ]'
    expect(await asUser(mine.through, script, mine.home, `${ci.uid} ${ci.gid}`)).toBeNull()
    await users.giveBack(mine)
    await users.giveBack(other)
  })

  it('ends no process and removes no file of a sibling when one is given back', async () => {
    const { users, isolation, runners } = await open(ci)
    const [ended, sibling] = [await users.take(runners('a')), await users.take(runners('b'))]
    const left = `/tmp/holdfast-users-test-${ci.uid}`
    const [program = '', ...args] = sibling.through
    const script = `touch ${left} "$HOME/work/its"; exec sleep 100`
    const env = { HOME: sibling.home, PATH: '/usr/bin:/bin' }
    const child = spawn(program, [...args, '/bin/sh', '-c', script], { env, cwd: '/', stdio: 'ignore' })
    const exited = once(child, 'exit')
    await until('it works', () =>
      stat(left).then(
        () => true,
        () => false,
      ),
    )
    await users.giveBack(ended)
    expect(await readdir(isolation.folder)).toEqual([path.basename(path.dirname(sibling.home))])
    expect(await processesOfUser(ci.uid)).toHaveLength(1)
    expect(await readdir(path.join(sibling.home, 'work'))).toEqual(['its'])
    await stat(left)
    child.kill('SIGKILL')
    await exited
    await users.giveBack(sibling)
    await rm(left)
    expect(await readdir(isolation.folder)).toEqual([])
  })

  it('reclaims the folder of a runner that is gone after a crash, and keeps that of another Holdfast', async () => {
    const { users, isolation, runners } = await open(ci)
    const others = createRunnerUsers(isolation, '/elsewhere', clock, keepingLog())
    const [gone, elsewhere] = [await users.take(runners('gone')), await others.take('/elsewhere/b')]
    for (const each of [gone, elsewhere]) await forgetTaker(each)
    await users.reclaim()
    expect(await readdir(isolation.folder)).toEqual([path.basename(path.dirname(elsewhere.home))])
    await others.reclaim()
    expect(await readdir(isolation.folder)).toEqual([])
  })

  it('does not take over, and so does not end, what an earlier range had of this user', async () => {
    const { users, isolation } = await open(ci)
    const ranged = { ...isolation, shared: null }
    const before = await createRunnerUsers(ranged, '/elsewhere', clock, keepingLog()).take('/elsewhere/a')
    await forgetTaker(before)
    await users.reclaim()
    expect(await readdir(isolation.folder)).toEqual([String(ci.uid)])
  })
})

describe('the user that the settings name', () => {
  const passwd = async (text: string) => {
    const file = path.join(untilTestEnds(await temporaryFolder('holdfast-passwd-')).path, 'passwd')
    await writeFile(file, text)
    return file
  }

  it('is found with its number and group', async () => {
    const file = await passwd('root:x:0:0::/root:/bin/sh\nci:x:1007:1008:CI:/home/ci:/bin/sh\n')
    expect(await findSharedUser('ci', file)).toEqual({ name: 'ci', uid: 1_007, gid: 1_008 })
  })

  it.each([
    ['nowhere', 'there is no user nowhere'],
    ['root', 'of the system or its services'],
    ['postgres', 'of the system or its services'],
    ['nobody', 'of the system or its services'],
    ['', 'there is no user'],
  ])('is refused: %s', async (name, why) => {
    const lines = ['root:x:0:0::/:', 'postgres:x:101:104::/:', 'nobody:x:65534:65534::/:', '']
    expect(await findSharedUser(name, await passwd(lines.join('\n')))).toContain(why)
  })
})

async function open(of: typeof range | SharedUser = range) {
  const folder = untilTestEnds(await temporaryFolder('holdfast-users-'))
  const isolation = await prepareIsolation(path.join(folder.path, 'jobs'), of)
  if (typeof isolation === 'string') throw new Error(isolation)
  const hostFolder = path.join(folder.path, 'runners')
  await mkdir(hostFolder)
  const users = createRunnerUsers(isolation, hostFolder, clock, keepingLog())
  return { users, isolation, runners: (name: string) => path.join(hostFolder, name) }
}

/** As if the Holdfast that took it had been killed. */
async function forgetTaker({ home }: RunnerUser): Promise<void> {
  const file = path.join(path.dirname(home), 'owner.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), takenBy: null }))
}
