import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { incidentListSchema } from '../../src/api/index.ts'
import { mountSmallDisk, type SmallDisk, whyNoMounts } from '../support/small-disk.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { outcomesOf, submit } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { launch } from './support/program.ts'
import { type Program, startProgram } from './support/start-program.ts'

const diskMib = 320
/** A watch every two seconds, on a machine that does much else. */
const soon = { timeout: 30_000, interval: 100 }
const whyNot = whyNoMounts()
if (whyNot !== null) console.warn(`NOT TRIED, Holdfast on a full disk: ${whyNot}`)

// These tests run in order: the disk fills, and is emptied again.
describe.skipIf(whyNot !== null)('Holdfast on a disk that fills', { timeout: 90_000 }, () => {
  let disk: SmallDisk
  let place: Place
  let program: Program
  beforeAll(async () => {
    disk = await mountSmallDisk(diskMib)
    const own = await newPlace()
    const dataDir = path.join(disk.path, 'data')
    place = { ...own, dataDir, env: { ...own.env, HOLDFAST_DATA_DIR: dataDir } }
    program = await startProgram(place)
    expect(await outcomesOf(place, await submit(place, 'true'))).toEqual(['success'])
  }, 120_000)
  afterAll(async () => {
    await disk?.empty()
    await program?.end('SIGTERM')
    await place?.[Symbol.asyncDispose]()
    await disk?.[Symbol.asyncDispose]()
  }, 60_000)

  const openIncidents = async () => {
    const { incidents } = incidentListSchema.parse(await (await fetch(`${place.url}/v1/incidents`)).json())
    return incidents.filter(({ closedAt }) => closedAt === null).map(({ kind }) => kind)
  }
  const readiness = async () => {
    const answer = await fetch(`${place.url}/readyz`)
    return { status: answer.status, text: await answer.text() }
  }

  it('warns before it is full, and goes on', async () => {
    await disk.fill(60)
    await expect.poll(openIncidents, soon).toEqual(['disk-low'])
    expect(await readiness()).toMatchObject({ status: 200 })
    expect(await outcomesOf(place, await submit(place, 'true'))).toEqual(['success'])
  })

  it('is not ready, says why to its operator, and takes no webhook that would be lost', async () => {
    await disk.fill(0)
    await expect.poll(readiness, soon).toMatchObject({ status: 503 })
    expect((await readiness()).text).toContain('the disk that holds the ledger is full')
    await expect.poll(openIncidents, soon).toEqual(['disk-full'])
    expect(await (await fetch(place.url)).text()).toContain('The disk that holds the ledger is full')
  })

  it('goes on by itself when there is room: refused webhooks are fetched, and a waiting command gets its answer', async () => {
    const waiting = untilTestEnds(launch(place, { args: ['submit', '--script', 'true', '--wait'] }))
    await waiting.says(/Holdfast is not ready: the disk that holds the ledger is full/)
    const webhooks = await fetch(`${place.url}/metrics`).then((answer) => answer.text())
    expect(webhooks).toMatch(
      /holdfast_http_request_seconds_count{route="\/webhooks\/forge",status="5xx"} [1-9]/,
    )
    await disk.empty()
    await expect.poll(readiness, soon).toMatchObject({ status: 200 })
    expect(await waiting.ended).toMatchObject({ code: 0 })
    await expect.poll(openIncidents, soon).toEqual([])
  })
})
