import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { outcomesOf, submit } from '../program/support/jobs.ts'
import { newPlace } from '../program/support/place.ts'
import { holdfast, launch } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { isRoot, normalUser } from '../support/embedded.ts'
import { leftovers } from '../support/leftovers.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

const somebody = isRoot ? normalUser() : undefined

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
})
