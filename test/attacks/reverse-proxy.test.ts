import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newPlace, type Place } from '../program/support/place.ts'
import { startProgram } from '../program/support/start-program.ts'
import { installNginx, serverOfGuide, startNginx } from '../support/nginx.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

/** Paths that show jobs, runners or logs to every reader. */
const paths = ['/', '/v1/jobs', '/v1/runners', '/v1/deaths', '/v1/decisions', '/metrics']
const installMs = 300_000

beforeAll(installNginx, installMs)

describe('behind an nginx on the same machine', { timeout: 120_000 }, () => {
  it('nothing can be read without the token where nginx is set up with a proxy_pass alone', async () => {
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place))
    const proxy = await startNginx(
      (port) => `server { listen 127.0.0.1:${port}; location / { proxy_pass ${place.url}; } }`,
    )
    expect(await statuses(place.url)).toEqual(paths.map(() => 200))
    expect(await statuses(proxy)).toEqual(paths.map(() => 401))
    expect(await statuses(proxy, await tokenOf(place))).toEqual(paths.map(() => 200))
  })

  it('nothing can be read without the token where it is set up as the guide says, not even around it', async () => {
    const place = untilTestEnds(await newPlace())
    untilTestEnds(await startProgram(place, { env: { HOLDFAST_HTTP_PUBLIC_URL: 'https://ci.example.org' } }))
    const proxy = await startNginx(await serverOfGuide(place.url))
    for (const url of [proxy, place.url]) {
      expect(await statuses(url)).toEqual(paths.map(() => 401))
      expect(await statuses(url, await tokenOf(place))).toEqual(paths.map(() => 200))
    }
  })
})

async function statuses(url: string, token?: string): Promise<number[]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answers = await Promise.all(paths.map((each) => fetch(`${url}${each}`, { headers })))
  await Promise.all(answers.map((answer) => answer.text()))
  return answers.map(({ status }) => status)
}

async function tokenOf({ dataDir }: Place): Promise<string> {
  return (await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim()
}
