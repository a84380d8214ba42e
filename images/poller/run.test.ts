import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { acknowledged, jit, job, podToken, pollerBench, watched } from './testing/bench.ts'
import { descendants } from './testing/processes.ts'
import { openShell, type ShellName, underEachShell } from './testing/shells.ts'

const launcher = fileURLToPath(new URL('run', import.meta.url))
const vitals = fileURLToPath(new URL('../vitals/vitals.sh', import.meta.url))
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

async function stage(shellName: ShellName, isStaged = true) {
  const folder = untilTestEnds(await temporaryFolder('holdfast-run-')).path
  const at = (name: string) => path.join(folder, name)
  for (const name of ['jit', 'work']) mkdirSync(at(name))
  writeFileSync(at('jit/run'), readFileSync(launcher), { mode: 0o555 })
  if (isStaged) writeFileSync(at('jit/jitconfig'), jit, { mode: 0o400 })
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

underEachShell('the launcher under', (shell) => {
  it('gives the program its configuration once, and in no argument and no environment', async () => {
    const { at, run } = await stage(shell)
    const { code, output } = await run([at('program'), '--once']).ended
    expect(output).toContain(
      `arguments: --once --jitconfig-file ${at('jit/jitconfig')}\nmode: 600\njit: ${jit}\n`,
    )
    expect(output).toMatch(/again: .*No such file/)
    expect(output.replace(`jit: ${jit}`, '')).not.toContain(jit)
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
    expect((await run([at('work/run.sh')]).ended).output).toBe(`${jit}, 0 arguments\n${setupInfo}`)
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

underEachShell('vitals during the program, under', (shell) => {
  const wanted = { HOLDFAST_VITALS: '1', HOLDFAST_VITALS_INTERVAL_S: '1' }
  const lines = /RUNNER_VITALS .*load1=/

  it('are printed where they are wanted, know nothing of the configuration, and end with it', async () => {
    const { at, run } = await stage(shell)
    cpSync(vitals, at('jit/vitals.sh'))
    const { child, ended, output } = run(['sh', '-c', 'cat "$2" > got; sleep 1.5; exit 7', 'x'], wanted)
    await expect.poll(output).toMatch(lines)
    const vitalsProcess = descendants(child.pid as number).find(({ command }) =>
      command.includes('vitals.sh'),
    )
    expect(vitalsProcess?.environment).toContain('HOLDFAST_VITALS_OF=')
    expect(`${vitalsProcess?.environment}${vitalsProcess?.command}`).not.toContain(jit)
    expect((await ended).code).toBe(7) // its output is closed only when nobody prints any more
    expect(readFileSync(at('work/got'), 'utf8')).toBe(jit)
  })

  it.each([
    ['that ends at once', '#!/bin/sh\nexit 3\n'],
    ['that is no script', '\0\0('],
    ['that is not there', null],
  ])('change nothing of the job by a script %s', async (_, text) => {
    const { at, run } = await stage(shell)
    if (text !== null) writeFileSync(at('jit/vitals.sh'), text)
    const { code, output } = await run([at('program')], wanted).ended
    expect(code).toBe(7)
    expect(
      output.startsWith(`arguments: --jitconfig-file ${at('jit/jitconfig')}\nmode: 600\njit: ${jit}\n`),
    ).toBe(true)
  })

  it('are not printed where nobody wants them', async () => {
    const { at, run } = await stage(shell)
    cpSync(vitals, at('jit/vitals.sh'))
    expect((await run(['sh', '-c', 'cat "$2"; sleep 0.5', 'x']).ended).output).toBe(jit)
  })

  it('are staged by the poller, and printed where it runs the job itself', async () => {
    const { poll, jitDir } = await pollerBench(shell, 'image')
    await poll([job, acknowledged], wanted)
    expect(readFileSync(path.join(jitDir, 'vitals.sh'), 'utf8')).toBe(readFileSync(vitals, 'utf8'))
    const { code, output } = await poll([job, acknowledged], wanted, [
      '--then',
      'sh',
      '-c',
      'cat "$2"; sleep 1',
      'x',
    ])
    expect(code).toBe(0)
    expect(output).toMatch(lines)
  })

  it('are missing with a word where the image of the poller has none, and the job is staged all the same', async () => {
    const { poll, jitDir } = await pollerBench(shell)
    const { code, output } = await poll([job, acknowledged], wanted)
    expect(code).toBe(0)
    expect(output).toContain('the log will be without vitals')
    expect(readdirSync(jitDir).sort()).toEqual(['jitconfig', 'run', 'setup_info'])
  })
})

underEachShell('polling and running in one container, under', (shell) => {
  it('runs the command on the job, without what concerns the poller alone', async () => {
    const { poll, folder } = await pollerBench(shell)
    writeFileSync(path.join(folder, 'program'), program, { mode: 0o755 })
    const args = ['--then', path.join(folder, 'program')]
    const { code, output } = await poll([job, acknowledged], { KEPT: 'kept' }, args)
    expect(code).toBe(7)
    expect(output).toContain(`jit: ${jit}\n`)
    expect(output).toContain('KEPT=kept')
    expect(output).not.toMatch(/HOLDFAST_(URL|TOKEN_FILE|JIT_DIR|POLL_MS)/)
    expect(output).not.toContain(podToken)
    expect(existsSync(path.join(folder, 'work/.setup_info'))).toBe(true)
  })

  it('runs nothing where the server answers 410', async () => {
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
