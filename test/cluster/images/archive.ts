import { createHash } from 'node:crypto'
import { type Entry, tar } from './tar.ts'

export interface Image {
  /** With its tag; a name of a registry that does not exist keeps a missing image from being looked for elsewhere. */
  readonly name: string
  readonly entries: readonly Entry[]
  readonly command: readonly string[]
  /** The program that gets a container's arguments. */
  readonly entrypoint?: readonly string[]
  readonly environment?: readonly string[]
  /** As a pod's runAsUser would say it. */
  readonly user?: string
  readonly workingDir?: string
}

/** The one layer of an image, and its configuration, which names the layer. */
export function imageParts(image: Image): { readonly layer: Buffer; readonly config: string } {
  const layer = tar(image.entries)
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: {
      ...(image.entrypoint && { Entrypoint: image.entrypoint }),
      Cmd: image.command,
      Env: image.environment ?? ['PATH=/usr/bin:/bin'],
      WorkingDir: image.workingDir ?? '/',
      ...(image.user && { User: image.user }),
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest(layer)}`] },
    history: [{ created: '1970-01-01T00:00:00Z' }],
  })
  return { layer, config }
}

/** An image of one layer in the docker-archive format, as containerd imports it. */
export function imageArchive(image: Image): Buffer {
  const { layer, config } = imageParts(image)
  const configFile = `${digest(config)}.json`
  const manifest = [{ Config: configFile, RepoTags: [image.name], Layers: ['layer.tar'] }]
  return tar([
    { kind: 'file', path: 'manifest.json', content: JSON.stringify(manifest) },
    { kind: 'file', path: configFile, content: config },
    { kind: 'file', path: 'layer.tar', content: layer },
  ])
}

function digest(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}
