import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../src/main/free-port.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { startProgram } from '../program/support/start-program.ts'
import { findProgram, installPackages } from '../support/debian.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

const guide = new URL('../../docs/reverse-proxy.md', import.meta.url)
/** What shows jobs, runners or logs to whoever reads it. */
const paths = ['/', '/v1/jobs', '/v1/runners', '/v1/deaths', '/metrics']
const installMs = 300_000

beforeAll(async () => {
  if ((await findProgram('nginx')) === null) await installPackages(['nginx-light'], console.log)
}, installMs)

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
    const server = await serverOfGuide()
    const proxy = await startNginx((port) =>
      server
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replace('http://127.0.0.1:8480', place.url),
    )
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

/** The guide's own words, without its certificates. */
async function serverOfGuide(): Promise<string> {
  const text = await readFile(guide, 'utf8')
  const server = /```nginx\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  expect(server).toContain('proxy_pass http://127.0.0.1:8480;')
  return server.replaceAll(/^\s*ssl_.*$/gm, '')
}

/** A real nginx with a folder of its own; gives its address. */
async function startNginx(serverOn: (port: number) => string): Promise<string> {
  const folder = untilTestEnds(await temporaryFolder('holdfast-nginx-'))
  const port = await freePort('127.0.0.1')
  const at = (name: string): string => path.join(folder.path, name)
  await mkdir(at('temporary'))
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = [
    `daemon off; pid ${at('pid')}; error_log stderr; events {}`,
    `http { access_log off; ${kinds.map((kind) => `${kind}_temp_path ${at(`temporary/${kind}`)};`).join(' ')}`,
    `${serverOn(port)} }`,
  ]
  await writeFile(at('nginx.conf'), config.join('\n'))
  const program = (await findProgram('nginx')) as string
  const child = spawn(program, ['-p', folder.path, '-c', at('nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  untilTestEnds({
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  })
  const url = `http://127.0.0.1:${port}`
  while (child.exitCode === null && !(await answers(url))) await setTimeout(50)
  expect(child.exitCode, 'nginx runs').toBeNull()
  return url
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    async (answer) => (await answer.text()) !== '',
    () => false,
  )
}
