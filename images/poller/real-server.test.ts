import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { serve } from '../../src/http/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createBench } from '../../test/support/holdfast-app.ts'
import { pollerBench } from './testing/bench.ts'
import { underEachShell } from './testing/shells.ts'

/** The poller reads answers by patterns: here it reads those of the server itself. */
underEachShell('the poller and the server that it is made for, under', (shell) => {
  async function together() {
    const holdfast = await createBench({ publicUrl: 'https://ci.example/holdfast/' })
    const clock = createClock()
    const serving = await serve(holdfast.app, { host: '127.0.0.1', port: 0, drainMs: 0, clock })
    onTestFinished(() => serving.close())
    const poller = await pollerBench(shell)
    return { holdfast, poller, url: { HOLDFAST_URL: serving.url } }
  }

  it('understand each other', async () => {
    const { holdfast, poller, url } = await together()
    const id = await holdfast.queue(1)
    poller.writeToken(await holdfast.enrol('linux-1'))
    expect(await poller.start(url).ended).toEqual({
      code: 0,
      output: `holdfast poller: job ${id} is staged\n`,
    })
    expect(readFileSync(path.join(poller.jitDir, 'jitconfig'), 'utf8')).toMatch(/^jit-of-linux-1-/)
    expect(readFileSync(path.join(poller.jitDir, 'setup_info'), 'utf8')).toContain(
      `Job: https://ci.example/holdfast/jobs/${id}"`,
    )
    expect(holdfast.ledger.rows.attempts.get(1)?.state).toBe('acknowledged')
  })

  it('part when the runner is fenced, and when it is not known', async () => {
    const { holdfast, poller, url } = await together()
    poller.writeToken(await holdfast.enrol('linux-1'))
    expect((await poller.start({ ...url, HOLDFAST_RUNNER: 'linux-2' }).ended).code).toBe(78)
    const runner = await holdfast.ledger.findRunner('linux-1')
    await holdfast.ledger.fence(runner?.id ?? 0, 'not needed', { source: 'scale' })
    expect((await poller.start(url).ended).code).toBe(10)
  })
})
