import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../src/main/machine/free-port.ts'
import { findProgram, installPackages } from './debian.ts'
import { temporaryFolder } from './temporary.ts'
import { untilTestEnds } from './until-test-ends.ts'

const guide = new URL('../../docs/reverse-proxy.md', import.meta.url)
const passedTo = 'http://127.0.0.1:8480'

export async function installNginx(): Promise<void> {
  if ((await findProgram('nginx')) === null) await installPackages(['nginx-light'], console.log)
}

/** The server of the guide, in its own words but for its certificates, in front of this Holdfast. */
export async function serverOfGuide(holdfastUrl: string): Promise<(port: number) => string> {
  const text = await readFile(guide, 'utf8')
  const server = /```nginx\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  if (!server.includes(`proxy_pass ${passedTo};`)) throw new Error('the guide has no server for Holdfast')
  return (port) =>
    server
      .replaceAll(/^\s*ssl_.*$/gm, '')
      .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
      .replace(passedTo, holdfastUrl)
}

/** A real nginx with a folder of its own; gives its address. */
export async function startNginx(serverOn: (port: number) => string): Promise<string> {
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
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
  return url
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    async (answer) => (await answer.text()) !== '',
    () => false,
  )
}
