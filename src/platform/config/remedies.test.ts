import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import { loadConfig } from './index.ts'

const cluster = `
fleet: { kind: kubernetes, serverUrl: 'http://holdfast:8480' }
forge: { kind: github, token: '${'x'.repeat(40)}', webhookSecrets: ['${'x'.repeat(32)}'] }
`

function load(yaml: string) {
  const file = '/home/ada/.local/share/holdfast/holdfast.yaml'
  const readFile = (path: string) => (path === file ? yaml : undefined)
  return loadConfig({ env: { HOME: '/home/ada' }, flags: {}, readFile, isRoot: false }).config.remedies
}

function problemOf(yaml: string): string {
  try {
    load(yaml)
  } catch (error) {
    if (error instanceof HoldfastError) return error.message
    throw error
  }
  return 'no problem'
}

const reap = (settings: string) => `${cluster}remedies: { reap: { ${settings} } }`

describe('the settings of the reaper', () => {
  it('have it off, with an hour and half an hour', () => {
    expect(load('').reap).toMatchObject({ mode: 'off', minAgeSeconds: 3_600, everyMinutes: 30, all: false })
  })

  it.each([
    'mode: observe, all: true',
    'mode: apply, all: true, namespaces: [arc-runners]',
    'mode: apply, scaleSets: [arc-runners/linux, arc-runners/gpu], staleGeneration: true, minAgeSeconds: 7200',
  ])('take %s', (settings) => {
    expect(problemOf(reap(settings))).toBe('no problem')
  })

  it.each([
    ['mode: apply', 'or remedies.reap.all'],
    ['mode: apply, all: true, scaleSets: [arc-runners/linux]', 'or remedies.reap.all'],
    ['mode: observe, scaleSets: [linux]', 'namespace/name'],
    ['mode: observe, scaleSets: [arc-runners/linux], namespaces: [x]', 'remedies.reap.namespaces'],
    ['mode: apply, all: true, minAgeSeconds: 3599', 'remedies.reap.minAgeSeconds'],
    ['mode: apply, all: true, everyMinutes: 4', 'remedies.reap.everyMinutes'],
    ['mode: always, all: true', 'remedies.reap.mode'],
  ])('refuse %s', (settings, problem) => {
    expect(problemOf(reap(settings))).toContain(problem)
  })

  it('refuse it where Holdfast leads no cluster', () => {
    const local = 'remedies: { reap: { mode: observe, all: true } }'
    expect(problemOf(local)).toContain('because fleet.kind is not kubernetes')
  })
})
