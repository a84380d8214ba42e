import { readdir, readFile, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { outcomesOf, submit, until } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { holdfast, holdfastJson } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { isRoot, normalUser } from '../support/embedded.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { attacksIn, forgedDeath, localAttack } from './support/local-attacks.ts'

const somebody = isRoot ? normalUser() : undefined
const lifeMaxMs = 170_000
const jobsFolder = '/var/lib/holdfast-jobs'

describe.runIf(isRoot)('a job of a Holdfast that runs as root', { timeout: 180_000 }, () => {
  it('reaches nothing of Holdfast or of its siblings, and leaves nothing behind', async () => {
    const place = untilTestEnds(await newPlace())
    const program = untilTestEnds(await startProgram(place, { lifeMaxMs }))
    const daemonSeconds = `7${program.pid}`
    const siblings = await submit(place, 'echo secret > of-a-sibling; sleep 100')
    await until(place, siblings, ({ state }) => state === 'running')
    const target = { holdfastPid: program.pid, dataDir: place.dataDir, jobsFolder, daemonSeconds }
    const ids = await submit(place, localAttack(target))
    expect(await outcomesOf(place, ids)).toEqual(['success'])
    const tried = attacksIn(await logOf(place, ids[0] ?? 0))
    expect(Object.keys(tried)).toHaveLength(13)
    expect(tried).toEqual(Object.fromEntries(Object.keys(tried).map((name) => [name, 'failed'])))
    await expect.poll(() => processesCalled(`sleep\0${daemonSeconds}\0`), { timeout: 30_000 }).toEqual([])
    await expect
      .poll(
        () =>
          stat(`/tmp/holdfast-attack-${daemonSeconds}`).then(
            () => 'there',
            () => 'gone',
          ),
        { timeout: 30_000 },
      )
      .toBe('gone')

    // It can end only its own runner, and that proves nothing.
    await outcomesOf(place, await submit(place, 'kill -9 $PPID; sleep 100'))
    expect(await deathsOf(place)).toMatchObject([{ class: 'sigkill-unknown', confidence: 'likely' }])
  })
})

describe.runIf(isRoot && somebody !== undefined)(
  'a job of a Holdfast that runs as a normal user',
  { timeout: 180_000 },
  () => {
    it('cannot make up how it died by an ending of its own and a kill of its supervisor', async () => {
      const place = untilTestEnds(await newPlace(somebody))
      const program = untilTestEnds(await startProgram(place, { lifeMaxMs }))
      await program.says(/Local runners are not isolated/)
      const [id = 0] = await submit(place, forgedDeath)
      await outcomesOf(place, [id])
      expect(await deathsOf(place)).toMatchObject([{ class: 'sigkill-unknown', confidence: 'likely' }])
      const [job] = await until(place, [id], () => true)
      expect((await holdfast(place, 'explain', String(job?.id))).out).toContain('Its supervisor was killed')
      expect(await (await fetch(place.url)).text()).toContain('Local runners are not isolated')
    })
  },
)

async function deathsOf(place: Place): Promise<{ class: string; confidence: string }[]> {
  type Deaths = { deaths: { class: string; confidence: string }[] }
  return (await holdfastJson<Deaths>(place, 'deaths')).deaths
}

async function logOf(place: Place, forgeJobId: number): Promise<string> {
  const [job] = await until(place, [forgeJobId], () => true)
  const read = async (): Promise<string> => {
    const { out, err } = await holdfast(place, 'log', String(job?.id))
    return out + err
  }
  await expect.poll(read, { timeout: 30_000, interval: 500 }).toContain('attacks tried')
  return read()
}

async function processesCalled(words: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, at) => lines[at] === words)
}
