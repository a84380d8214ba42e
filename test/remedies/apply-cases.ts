import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type ApplyBench, atRest, whenSaid } from './apply-bench.ts'
import type { Case } from './cases.ts'
import { restartApiServer } from './restart.ts'

/** Lines of its progress, on each of which an apply is killed once. */
const killPoints: Readonly<Record<string, RegExp>> = {
  'its canary begins': /^canary: for/m,
  'its scope is recorded': /^quiesce-scope: recorded/m,
  'idle runners were looked for': /^reap-idle:/m,
  'a cap is about to be frozen': /to be frozen now/m,
  'the caps are frozen': /^cap-freeze: frozen/m,
  'the command begins': /^apply: .* begins/m,
  'the command has ended': /^apply: .* exited/m,
  'a cap is about to be given back': /to be given back now/m,
  'the caps are back': /^cap-restore: the caps/m,
  'the rollover is settled': /^settle-reap-stale:/m,
  'it is proven': /^prove-listener-cap:/m,
}

/** `holdfast apply` around a command of the user, on a set at rest. */
export const applyCases: Readonly<Record<string, Case>> = {
  'an apply: the command runs around frozen caps, which come back, and the end is proven': atRest(
    async ({ apply, caps, before, say, file, run }) => {
      const running = apply(`while [ ! -e ${file('go')} ]; do sleep 0.1; done`)
      await whenSaid(running, /^apply: .* begins/m)
      const { mark, ...frozen } = await caps()
      assert.deepEqual([frozen, typeof mark], [{ minRunners: 0, maxRunners: 0 }, 'string'])
      writeFileSync(file('go'), '')
      const { code, out, err } = await running.ended
      say(err)
      say(out)
      assert.equal(code, 0, out + err)
      assert.deepEqual(await caps(), before)
      assert.equal((await run('trail', 'verify')).code, 0)
    },
  ),

  'an apply: refused on a set with two generations, and on one without a listener': atRest(
    async ({ apply, version, addGeneration, removeListener, file }) => {
      const first = await version()
      for (const [change, why] of [
        [addGeneration, /one-generation/],
        [removeListener, /listener/],
      ] as const) {
        const undo = await change()
        const { code, out, err } = await apply(`touch ${file('ran')}`).ended
        assert.equal(code, 5, out + err)
        assert.match(out + err, why)
        await undo()
      }
      assert.equal(await version(), first, 'the set was written')
      assert.ok(!existsSync(file('ran')), 'the command ran')
    },
  ),

  'an apply: the command fails, and the caps are back': atRest(async ({ apply, caps, before }) => {
    const { code, out, err } = await apply('exit 3').ended
    assert.equal(code, 1, out + err)
    assert.match(out, /exited with 3/)
    assert.deepEqual(await caps(), before)
  }),

  'an apply: the API server restarted while the command runs': atRest(
    async ({ apply, caps, before, file, cluster }) => {
      const running = apply(`while [ ! -e ${file('go')} ]; do sleep 0.1; done`)
      await whenSaid(running, /^apply: .* begins/m)
      const restarted = restartApiServer(cluster)
      writeFileSync(file('go'), '')
      await restarted
      const { code, out, err } = await running.ended
      assert.equal(code, 0, out + err)
      assert.deepEqual(await caps(), before)
    },
  ),

  'an apply: killed when a cap is about to be frozen, then abort': killedAt(
    'a cap is about to be frozen',
    'abort',
  ),
  'an apply: killed when the command begins, then resume': killedAt('the command begins', 'resume'),
  'an apply: killed when a cap is about to be given back, then abort': killedAt(
    'a cap is about to be given back',
    'abort',
  ),
}

/** Every point with both ways on, for the long form. */
export const longApplyCases: Readonly<Record<string, Case>> = Object.fromEntries(
  Object.keys(killPoints).flatMap((point) =>
    (['resume', 'abort'] as const).map((way) => [
      `an apply: killed when ${point}, then ${way}`,
      killedAt(point, way),
    ]),
  ),
)

function killedAt(point: string, way: 'resume' | 'abort'): Case {
  return atRest(async (bench) => {
    const { apply, caps, before, file, run } = bench
    const line = killPoints[point]
    if (line === undefined) throw new Error(`there is no point "${point}"`)
    const command = `echo ran >> ${file('ran')}; sleep 0.5`
    const killed = apply(command)
    await whenSaid(killed, line)
    killed.child.kill('SIGKILL')
    await killed.exited
    await goOn(bench, way, command)
    assert.equal((await run('apply', 'status')).code, 0, 'one is unfinished')
    assert.deepEqual(await caps(), before, 'the caps are not those of before')
    assert.equal((await run('trail', 'verify')).code, 0)
    const ran = existsSync(file('ran')) ? readFileSync(file('ran'), 'utf8').split('\n').length - 1 : 0
    assert.ok(ran <= 1, `the command ran ${ran} times`)
  })
}

const triesMax = 20
const codes = { done: 0, usage: 2, refused: 5, notFound: 4 } as const

/** As an operator does who reads what is asked: the command is never run again. */
async function goOn({ run }: ApplyBench, way: 'resume' | 'abort', command: string): Promise<void> {
  let args = [way] as readonly string[]
  for (let tries = 0; tries < triesMax; tries++) {
    const { code, out, err } = await run('apply', ...args)
    if (code === codes.done || /unfinished: none/.test(err)) return
    if (/still runs/.test(err)) continue
    if (/--command-done/.test(err)) args = [way, '--command-done']
    else if (way === 'resume' && args.length === 1) args = [way, '--', 'sh', '-c', command]
    else throw new Error(`${args.join(' ')} ended with ${code}: ${out}${err}`)
  }
  throw new Error(`${way} came to no end`)
}
