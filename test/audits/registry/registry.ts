import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { freePort } from '../../../src/main/machine/free-port.ts'
import { type Image, imageParts } from '../../cluster/images/archive.ts'
import { until } from '../../cluster/machine/until.ts'
import { buildGo, cacheFolder, exists, pinnedVersion } from '../../support/go-build.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const distribution = 'github.com/distribution/distribution/v3'
const servesWithinMs = 20_000

/** Opens nothing but this registry, and its bcrypt hash. */
export const person = { name: 'ci', password: 'opens-nothing-real' } as const
const hash = '$2a$04$ZsP0hg6/NOeO4EjBSxWWbO0bUCycrTUgj2AUJRjKE4gxBKkKYocEe'

/** A real registry that answers nobody without the password. */
export interface Registry extends AsyncDisposable {
  readonly port: number
  /** As nodes name it; on their loopback, where containerd speaks plain HTTP. */
  readonly host: string
  push(image: Image): Promise<void>
}

/** Distribution as go.mod pins it: from the cache, or built into it (a minute, once). */
export async function openRegistry(folder: string, say: (line: string) => void): Promise<Registry> {
  const program = await build(say)
  const port = await freePort('127.0.0.1')
  const child = spawn(program, ['serve', await configure(folder, port)], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await until('the registry answers', servesWithinMs, async () =>
    fetch(`${url}/v2/`).then(
      ({ status }) => status === 401,
      () => false,
    ),
  ).catch(async (error: unknown) => {
    await end(child)
    throw error
  })
  return {
    port,
    host: `127.0.0.1:${port}`,
    push: (image) => push(url, image),
    [Symbol.asyncDispose]: () => end(child),
  }
}

async function build(say: (line: string) => void): Promise<string> {
  const to = path.join(cacheFolder(`distribution-${await pinnedVersion(here, distribution)}`), 'registry')
  if (!(await exists(to)))
    await buildGo({ module: here, package: '.', to, flags: ['-ldflags', '-s -w'] }, say)
  return to
}

async function configure(folder: string, port: number): Promise<string> {
  const place = path.join(folder, 'registry')
  await mkdir(place)
  await writeFile(path.join(place, 'people'), `${person.name}:${hash}\n`)
  const file = path.join(place, 'config.yml')
  await writeFile(
    file,
    stringify({
      version: 0.1,
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: path.join(place, 'images') } },
      http: { addr: `127.0.0.1:${port}` },
      auth: { htpasswd: { realm: 'holdfast.test', path: path.join(place, 'people') } },
    }),
  )
  return file
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** The name of the image is without its registry. */
async function push(url: string, image: Image): Promise<void> {
  const [repository = '', tag = ''] = image.name.split(':')
  const at = `${url}/v2/${repository}`
  const { layer, config } = imageParts(image)
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: await blob(at, Buffer.from(config), 'application/vnd.oci.image.config.v1+json'),
    layers: [await blob(at, layer, 'application/vnd.oci.image.layer.v1.tar')],
  }
  await sent('PUT', `${at}/manifests/${tag}`, JSON.stringify(manifest), manifest.mediaType)
}

async function blob(at: string, content: Buffer, mediaType: string): Promise<object> {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  const begun = await sent('POST', `${at}/blobs/uploads/`)
  const upload = new URL(begun.headers.get('location') ?? '', at)
  upload.searchParams.set('digest', digest)
  await sent('PUT', upload.href, content, 'application/octet-stream')
  return { mediaType, size: content.length, digest }
}

async function sent(method: string, url: string, body?: Buffer | string, type?: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${person.name}:${person.password}`).toString('base64')}`
  const answer = await fetch(url, {
    method,
    headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
  return answer
}
