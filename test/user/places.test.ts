import { once } from 'node:events'
import { readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { outcomesOf, submit } from '../program/support/jobs.ts'
import { newPlace } from '../program/support/place.ts'
import { holdfast, launch } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { isRoot, normalUser } from '../support/embedded.ts'
import { leftovers } from '../support/leftovers.ts'
import { installNginx, serverOfGuide, startNginx } from '../support/nginx.ts'
import { mountSmallDisk, whyNoMounts } from '../support/small-disk.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

const somebody = isRoot ? normalUser() : undefined
const diskMib = 320
const noMounts = whyNoMounts()
if (noMounts !== null) console.warn(`NOT TRIED, a tiny disk: ${noMounts}`)

describe('where a user may start it', { timeout: 120_000 }, () => {
  it('with a port that is taken: says which, and makes nothing', async () => {
    const place = untilTestEnds(await newPlace())
    const holder = createServer().listen(place.forgePort, '127.0.0.1')
    await once(holder, 'listening')
    const { code, err } = await holdfast(place, 'up')
    holder.close()
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining(String(place.forgePort)) })
    await expect(stat(`${place.dataDir}/postgres`)).rejects.toThrow('ENOENT')
  })

  it.runIf(somebody !== undefined)('as a normal user, from a checkout that he may only read', async () => {
    const place = untilTestEnds(await newPlace(somebody))
    const program = untilTestEnds(await startProgram(place))
    expect(await outcomesOf(place, await submit(place, 'sleep 2; id -u'))).toEqual(['success'])
    expect(await program.end('SIGINT')).toMatchObject({ code: 0 })
    expect(await leftovers(place.dataDir)).toEqual([])
  })

  it.runIf(somebody !== undefined)('without a home: says what to set', async () => {
    const place = untilTestEnds(await newPlace(somebody))
    await rm(place.env.HOME as string, { recursive: true })
    const { HOLDFAST_DATA_DIR: _, HOME: __, ...env } = place.env
    const { code, err } = await launch({ ...place, env }, { args: ['up'] }).ended
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('set HOLDFAST_DATA_DIR') })
  })

  it.skipIf(noMounts !== null)(
    'on a tiny disk that fills: says so to a waiting command, and goes on when it is emptied',
    async () => {
      const disk = untilTestEnds(await mountSmallDisk(diskMib))
      const own = untilTestEnds(await newPlace())
      const dataDir = `${disk.path}/data`
      const place = { ...own, dataDir, env: { ...own.env, HOLDFAST_DATA_DIR: dataDir } }
      const program = untilTestEnds(await startProgram(place))
      await disk.fill(0)
      await program.says(/the disk is full: no webhook is taken/)
      await disk.fill(0) // whatever fills a disk also takes the reserve that Holdfast releases then
      const script = `true # ${'x'.repeat(16_384)}` // more than what is left of the last block of any file
      const waiting = untilTestEnds(launch(place, { args: ['submit', '--script', script, '--wait'] }))
      await waiting.says(/the disk that holds the ledger is full/)
      const status = await holdfast(place, 'status')
      expect({ code: status.code, out: status.out }).toEqual({ code: 1, out: expect.stringMatching(/disk/i) })
      await disk.empty()
      expect(await waiting.ended).toMatchObject({ code: 0 })
    },
  )

  it('behind an nginx as the guide sets it up: commands and pages work through it with the token', async () => {
    await installNginx()
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place, { env: { HOLDFAST_HTTP_PUBLIC_URL: 'https://ci.example.org' } }))
    const url = await startNginx(await serverOfGuide(place.url))
    const token = (await readFile(`${place.dataDir}/operator-token`, 'utf8')).trim()
    await submit(place, 'true')
    const { PATH = '' } = place.env
    const elsewhere = {
      ...place,
      env: { PATH, HOME: place.shared, HOLDFAST_URL: url, HOLDFAST_TOKEN: token },
    }
    const jobs = async () => (await holdfast(elsewhere, 'jobs', '--all')).out
    await expect.poll(jobs, { interval: 1_000 }).toMatch(/success/)
    const page = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    expect({ status: page.status, text: await page.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining('Holdfast'),
    })
    expect((await fetch(url)).status).toBe(401)
  })
})
