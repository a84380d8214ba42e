import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRoot } from '../../../../test/support/embedded.ts'
import { temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { processesOfUser } from '../proc/index.ts'
import { clock, keepingLog, until } from '../testing/harness.ts'
import { throughOf } from './as-user.ts'
import { asUser, createRunnerUsers, prepareIsolation, type RunnerUser } from './index.ts'

/** Apart from the default, so that no runner of another test is one of them. */
const range = { first: 58_701, last: 58_703 }

describe.runIf(isRoot)('the users of local runners', () => {
  it('are each given once, also between two Holdfasts, and again when they were given back', async () => {
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

  it('of runners that are gone are found again after a crash; those of runners that are there are kept', async () => {
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

  it('are not taken while something else runs as them', async () => {
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

async function open() {
  const folder = untilTestEnds(await temporaryFolder('holdfast-users-'))
  const isolation = await prepareIsolation(path.join(folder.path, 'jobs'), range)
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
