import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string) => readFileSync(path.join(root, 'images/holdfast', name), 'utf8')
const dockerfile = read('Dockerfile')
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
  names.split(' '),
)

it('starts from the Node that the sources are tested with', () => {
  expect(dockerfile).toContain(`node:${packageFile.dependencies.node}-`)
  expect(dockerfile).not.toMatch(/:latest/)
})

it('copies only what is there and what the list of the ignored lets through', () => {
  const through = read('Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
  for (const name of copied) {
    expect(existsSync(path.join(root, name)), name).toBe(true)
    expect(through, name).toContain(`!${name.replace(/\/$/, '')}`)
  }
})

it('copies every folder that the program reads while it runs', () => {
  expect(copied).toEqual(
    expect.arrayContaining(['bin/', 'migrations/', 'runners/', 'sim/', 'src/', 'package.json']),
  )
})

it('runs as nobody special', () => {
  expect(dockerfile).toMatch(/^USER (?!0)\d+:\d+$/m)
})
