import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { acknowledged, JIT, job, pollerBench, shells, TOKEN, watched } from './testing/bench.ts'
import { openShell } from './testing/shells.ts'

const launcher = fileURLToPath(new URL('run', import.meta.url))
const setupInfo = '[{"group":"Holdfast runner","detail":"Pool: linux"}]\n'

/** A program that reads its configuration as ours do, and says what else it can see. */
const program = `#!/bin/sh
echo "arguments: $*"
while [ "$1" != --jitconfig-file ]; do shift; done
echo "mode: $(stat -c %a "$2")"
echo "jit: $(cat "$2")"
rm "$2"
echo "again: $(cat "$2" 2>&1)"
env
exit 7
`

async function stage(shellName: (typeof shells)[number], isStaged = true) {
  const folder = untilTestEnds(await temporaryFolder('holdfast-run-')).path
  const at = (name: string) => path.join(folder, name)
  for (const name of ['jit', 'work']) mkdirSync(at(name))
  writeFileSync(at('jit/run'), readFileSync(launcher), { mode: 0o555 })
  if (isStaged) writeFileSync(at('jit/jitconfig'), JIT, { mode: 0o400 })
  writeFileSync(at('jit/setup_info'), setupInfo, { mode: 0o444 })
  writeFileSync(at('program'), program, { mode: 0o755 })
  const shell = openShell(shellName, folder)
  const run = (args: readonly string[], env: Record<string, string> = {}) => {
    const [command = '', ...first] = shell.command
    const options = { cwd: at('work'), env: { PATH: shell.path, ...env }, detached: true } as const
    return watched(spawn(command, [...first, at('jit/run'), ...args], options))
  }
  return { folder, at, run }
}

describe.each(shells)('the launcher under %s', (shell) => {
  it('gives the program its configuration once, and in no argument and no environment', async () => {
    const { at, run } = await stage(shell)
    const { code, output } = await run([at('program'), '--once']).ended
    expect(output).toContain(
      `arguments: --once --jitconfig-file ${at('jit/jitconfig')}\nmode: 600\njit: ${JIT}\n`,
    )
    expect(output).toMatch(/again: .*No such file/)
    expect(output.replace(`jit: ${JIT}`, '')).not.toContain(JIT)
    expect(code).toBe(7)
    expect(readdirSync(at('jit')).sort()).toEqual(['run', 'setup_info'])
  })

  it('leaves no configuration to read where the program does not remove what it was given', async () => {
    const { at, run } = await stage(shell)
    const file = at('jit/jitconfig')
    const reads = `cat "$2" > /dev/null; echo "left: $(timeout 1 cat "$2" || echo nothing)"`
    expect((await run(['sh', '-c', reads, 'x']).ended).output).toContain('left: nothing')
    expect(existsSync(file)).toBe(true) // a pipe that nobody fills
  })

  it('says where the job runs where the runner looks for it', async () => {
    const { at, run, folder } = await stage(shell)
    await run([at('program')], { HOLDFAST_RUNNER_DIR: folder }).ended
    expect(readFileSync(at('.setup_info'), 'utf8')).toBe(setupInfo)
  })

  it("gives GitHub's runner its configuration as it wants it", async () => {
    const { at, run } = await stage(shell)
    mkdirSync(at('work/bin'))
    writeFileSync(at('work/bin/Runner.Listener'), '')
    const script =
      '#!/bin/sh\necho "$ACTIONS_RUNNER_INPUT_JITCONFIG, $# arguments"; cat "$(dirname "$0")/.setup_info"\n'
    writeFileSync(at('work/run.sh'), script)
    chmodSync(at('work/run.sh'), 0o755)
    expect((await run([at('work/run.sh')]).ended).output).toBe(`${JIT}, 0 arguments\n${setupInfo}`)
    expect(existsSync(at('jit/jitconfig'))).toBe(false)
  })

  it('runs nothing where no job is staged', async () => {
    const { at, run } = await stage(shell, false)
    const { code, output } = await run([at('program')]).ended
    expect([code, output]).toEqual([0, 'holdfast run: no job is staged; nothing to run\n'])
  })

  it('says what is missing where there is no command', async () => {
    const { run, at } = await stage(shell)
    const { code, output } = await run([]).ended
    expect(code).toBe(78)
    expect(output).toContain('expected a command')
    expect(existsSync(at('jit/jitconfig'))).toBe(true)
  })
})

describe.each(shells)('polling and running in one container, under %s', (shell) => {
  it('runs the command on the job, without what concerns the poller alone', async () => {
    const { poll, folder } = await pollerBench(shell)
    writeFileSync(path.join(folder, 'program'), program, { mode: 0o755 })
    const args = ['--then', path.join(folder, 'program')]
    const { code, output } = await poll([job, acknowledged], { KEPT: 'kept' }, args)
    expect(code).toBe(7)
    expect(output).toContain(`jit: ${JIT}\n`)
    expect(output).toContain('KEPT=kept')
    expect(output).not.toMatch(/HOLDFAST_(URL|TOKEN_FILE|JIT_DIR|POLL_MS)/)
    expect(output).not.toContain(TOKEN)
    expect(existsSync(path.join(folder, 'work/.setup_info'))).toBe(true)
  })

  it('runs nothing where it is told to leave', async () => {
    const { poll } = await pollerBench(shell)
    const { code, output } = await poll([{ status: 410 }], {}, ['--then', 'echo', 'ran'])
    expect(code).toBe(10)
    expect(output).not.toContain('ran')
  })

  it('passes a stop on to the program, which has taken its place', async () => {
    const { start, server } = await pollerBench(shell)
    server.steps.push(job, acknowledged)
    const script = 'trap "echo stopped; exit 9" TERM; echo ready; while :; do sleep 0.05; done'
    const { child, ended, output } = start({}, ['--then', 'sh', '-c', script])
    await expect.poll(output).toContain('ready')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 9, output: expect.stringContaining('stopped') })
  })
})
