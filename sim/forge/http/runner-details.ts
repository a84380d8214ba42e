import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Entropy } from '../../../src/ports/entropy.ts'
import { isoTime, type Runner, randomHex, runnerLabels } from '../core/index.ts'
import { idParam, notFound, readOrder, refuse } from './answers.ts'
import type { Engine } from './engine.ts'
import { runnerPlaces, scopeOf } from './scopes.ts'

/** GitHub's own. */
const tokenLifeMs = 60 * 60_000
const tokenBytes = 15
const labelsMax = 100
const version = '2.330.0'
const platforms = [
  ['linux', 'x64', 'tar.gz'],
  ['linux', 'arm64', 'tar.gz'],
  ['osx', 'arm64', 'tar.gz'],
  ['win', 'x64', 'zip'],
] as const

const label = z.string().min(1).max(256)
const addSchema = z.object({ labels: z.array(label).min(1).max(labelsMax) })
const setSchema = z.object({ labels: z.array(label).max(labelsMax) })

/** Routes for runners' labels, the program to download, and tokens to register it by hand. */
export function runnerDetails(engine: Engine, entropy: Entropy): Hono {
  const app = new Hono()
  for (const place of runnerPlaces) {
    addPrograms(app, `${place}/actions/runners`, engine, entropy)
    addLabels(app, `${place}/actions/runners/:id/labels`, engine)
  }
  return app
}

function addPrograms(app: Hono, runners: string, { core, clock }: Engine, entropy: Entropy): void {
  app.get(`${runners}/downloads`, (c) => {
    if (!core.hasScope(scopeOf(c))) return notFound(c)
    return c.json(platforms.map(([os, architecture, ending]) => program(os, architecture, ending)))
  })
  for (const verb of ['registration-token', 'remove-token']) {
    app.post(`${runners}/${verb}`, (c) => {
      if (!core.hasScope(scopeOf(c))) return notFound(c)
      const token = `A${randomHex(entropy, tokenBytes).toUpperCase()}`
      return c.json({ token, expires_at: isoTime(clock.now() + tokenLifeMs, core.links) }, 201)
    })
  }
}

function program(os: string, architecture: string, ending: string) {
  const filename = `actions-runner-${os}-${architecture}-${version}.${ending}`
  const download = `https://github.com/actions/runner/releases/download/v${version}/${filename}`
  return { os, architecture, download_url: download, filename }
}

function addLabels(app: Hono, labels: string, engine: Engine): void {
  const change = (c: Context, changed: (labels: readonly string[]) => readonly string[]): Response => {
    const runner = runnerAt(engine, c)
    if (runner === undefined) return notFound(c)
    const custom = runner.labels.filter((name) => !isFixed(name))
    const fixed = runner.labels.filter(isFixed)
    const next = [...new Set([...fixed, ...changed(custom)])]
    engine.run((core, now) => core.relabel(scopeOf(c), runner.id, next, now))
    return shown(c, next)
  }
  app.get(labels, (c) => {
    const runner = runnerAt(engine, c)
    return runner === undefined ? notFound(c) : shown(c, runner.labels)
  })
  app.post(labels, async (c) => {
    const order = await readOrder(c, addSchema)
    return order instanceof Response ? order : change(c, (custom) => [...custom, ...order.labels])
  })
  app.put(labels, async (c) => {
    const order = await readOrder(c, setSchema)
    return order instanceof Response ? order : change(c, () => order.labels)
  })
  app.delete(labels, (c) => change(c, () => []))
  app.delete(`${labels}/:name`, (c) => {
    const name = c.req.param('name') ?? ''
    const runner = runnerAt(engine, c)
    if (runner === undefined || !runner.labels.includes(name)) return notFound(c)
    if (isFixed(name)) return refuse(c, 422, `The label "${name}" is read-only and cannot be removed.`)
    return change(c, (custom) => custom.filter((each) => each !== name))
  })
}

/** The read-only labels that every runner has from its program. */
function isFixed(name: string): boolean {
  return name.toLowerCase() === 'self-hosted'
}

function runnerAt(engine: Engine, c: Context): Runner | undefined {
  const id = idParam(c, 'id')
  return engine.run((core) => core.runners(scopeOf(c))).find((runner) => runner.id === id)
}

function shown(c: Context, labels: readonly string[]): Response {
  return c.json({ total_count: labels.length, labels: runnerLabels(labels) })
}
