import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { arcSnapshot } from '../../../test/support/arc-states.ts'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { readContract } from '../../contract-file/index.ts'
import { contract } from '../../domain/audit/index.ts'
import { judged } from '../../domain/audit/testing/judge.ts'
import { snapshotOf, unread } from '../../domain/snapshot/testing/facts.ts'
import { createTextFile } from '../../main/machine/create-text-file.ts'

let cli: CliBench
afterEach(() => cli.close())

const fleets = {
  arc: () => arcSnapshot('0.14.2/b-healthy-busy', { withForge: true }),
  dark: () => snapshotOf({ cluster: { scaleSets: unread('autoscalingrunnersets') } }),
}

async function run(fleet: keyof typeof fleets, ...args: string[]) {
  cli = await createCliBench('simulated', [])
  const readSnapshot = async () => fleets[fleet]()
  return cli.runWith({ roles: { ...roles, readSnapshot, createTextFile } }, 'contract', ...args)
}

describe('holdfast contract init', () => {
  it('writes a contract by which the audit of the same fleet finds nothing', async () => {
    const { code, out } = await run('arc', 'init', '--snapshot', 'x')
    expect(code).toBe(0)
    const declared = readContract('contract.yaml', () => out)
    expect(declared.lanes).toMatchObject([
      { label: 'arc-demo', scaleSets: ['arc-runners/arc-demo'], minRunners: 2 },
    ])
    expect(judged(contract, fleets.arc(), { contract: declared })).toMatchObject({
      findings: [],
      unjudged: [],
    })
  })
  it('writes to a new file, and never replaces one', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder[Symbol.asyncDispose]())
    const file = join(folder.path, 'contract.yaml')
    expect(await run('arc', 'init', '--snapshot', 'x', '-o', file)).toMatchObject({
      code: 0,
      out: `${file}: 1 lane, 0 fixes.\n`,
    })
    const written = await readFile(file, 'utf8')
    const again = await run('dark', 'init', '--snapshot', 'x', '-o', file)
    expect(again.code).toBe(5)
    expect(again.err).toContain('it is there already')
    expect(await readFile(file, 'utf8')).toBe(written)
  })
  it('says that lanes are missing where scale sets could not be read', async () => {
    const { err } = await run('dark', 'init', '--snapshot', 'x')
    expect(err).toContain('Not all scale sets could be read: lanes are missing.')
  })
  it('gives the file in one document with --json', async () => {
    const { out } = await run('arc', 'init', '--snapshot', 'x', '--json')
    expect(JSON.parse(out)).toMatchObject({
      file: null,
      lanes: 1,
      contract: expect.stringContaining('version: 1'),
    })
  })
})

describe('holdfast contract check', () => {
  it('names every problem with its line, and exits with 3', async () => {
    cli = await createCliBench('simulated', [])
    const readFile = () => 'version: 1\nlanes:\n  - label: a\n    maxRunner: 3\n    nodes: honey\n'
    const { code, err } = await cli.runWith({ readFile }, 'contract', 'check', 'c.yaml')
    expect(code).toBe(3)
    expect(err).toContain('lanes[0].maxRunner (c.yaml:4): got an unknown key')
    expect(err).toContain('lanes[0].nodes (c.yaml:5): got "honey", expected a list')
  })
  it('says what is declared in a file that is in order', async () => {
    cli = await createCliBench('simulated', [])
    const readFile = () => 'version: 1\nlanes:\n  - label: a\n  - label: b\n'
    const { code, out } = await cli.runWith({ readFile }, 'contract', 'check', 'c.yaml')
    expect([code, out]).toEqual([0, 'c.yaml is in order: 2 lanes, 0 fixes.\n'])
  })
})
