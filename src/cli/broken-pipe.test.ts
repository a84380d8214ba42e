import { execFile } from 'node:child_process'
import path from 'node:path'
import { expect, it } from 'vitest'

const program = path.join(import.meta.dirname, '../main/cli.ts')

it('holdfast ends silently where its output is closed, as in `holdfast up --help | head`', async () => {
  const { code, err } = await new Promise<{ code: unknown; err: string }>((resolve) => {
    // The reader is gone before the first byte.
    const script = `{ sleep 0.2; "$0" "$1" up --help; echo "ended with $?" >&2; } | true`
    execFile('/bin/sh', ['-c', script, process.execPath, program], (error, _out, stderr) => {
      resolve({ code: error?.code ?? 0, err: stderr })
    })
  })
  expect([code, err]).toEqual([0, 'ended with 0\n'])
})
