import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'

const script = fileURLToPath(new URL('run.sh', import.meta.url))
let folder: string
const at = (name: string) => path.join(folder, name)
const run = (...args: string[]) =>
  spawnSync('sh', [script, ...args], { cwd: at('work'), encoding: 'utf8', env: { PATH: process.env.PATH } })

/** In place of GitHub's runner: a program that prints its input and writes into its own folder. */
const standIn = `#!/bin/sh
cd "$(dirname "$0")" && echo used > .runner && echo "$ACTIONS_RUNNER_INPUT_JITCONFIG, $# arguments"
exit 3
`

beforeEach(async () => {
  folder = untilTestEnds(await temporaryFolder()).path
  for (const name of ['work', 'github']) mkdirSync(at(name))
  writeFileSync(at('github/run.sh'), standIn)
  chmodSync(at('github/run.sh'), 0o755)
  writeFileSync(at('jit'), 'c2VjcmV0')
})

describe("the start of GitHub's runner", () => {
  it('gives it the configuration in its environment alone, and ends as it ends', () => {
    const { status, stdout } = run(at('github'), '--jitconfig-file', at('jit'))
    expect(stdout).toBe('c2VjcmV0, 0 arguments\n')
    expect(status).toBe(3)
    expect(existsSync(at('jit'))).toBe(false)
  })

  it('leaves the folder that all runners share as it is', () => {
    run(at('github'), '--jitconfig-file', at('jit'))
    expect(existsSync(at('work/runner/.runner'))).toBe(true)
    expect(existsSync(at('github/.runner'))).toBe(false)
  })

  it('gives each job its own copy of the runner: a file that one job overwrites is unchanged for the next', () => {
    writeFileSync(at('github/Runner.Worker'), 'genuine')
    writeFileSync(at('github/run.sh'), '#!/bin/sh\ncd "$(dirname "$0")" && printf poison > Runner.Worker\n')
    run(at('github'), '--jitconfig-file', at('jit'))
    expect(readFileSync(at('work/runner/Runner.Worker'), 'utf8')).toBe('poison')
    expect(readFileSync(at('github/Runner.Worker'), 'utf8')).toBe('genuine')
  })

  it('gives the job the lines that a launcher left for its log', () => {
    writeFileSync(at('work/.setup_info'), '[]')
    run(at('github'), '--jitconfig-file', at('jit'))
    expect(existsSync(at('work/runner/.setup_info'))).toBe(true)
  })

  it.each([
    ['without a folder', () => ['--jitconfig-file', at('jit')], 'expected <folder'],
    ['with a folder that holds no runner', () => [at('work'), '--jitconfig-file', at('jit')], 'no run.sh'],
  ])('refuses to go on %s, and keeps the configuration', (_, args, expected) => {
    const { status, stderr } = run(...args())
    expect(status).toBe(78)
    expect(stderr).toContain(expected)
    expect(existsSync(at('jit'))).toBe(true)
  })
})
