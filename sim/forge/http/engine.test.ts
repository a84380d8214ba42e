import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { type Change, createForgeCore } from '../core/index.ts'
import { seededEntropy } from '../core/seeded-entropy.ts'
import { machineClock } from '../machine.ts'
import { silentLog } from '../testing/kit.ts'
import { createEngine } from './engine.ts'
import { openJournal } from './journal.ts'

const never = new AbortController().signal
const holdMs = 60_000
const job = { name: 'build', labels: ['linux'], script: '' }

it('notifies one runner of each job, the longest waiting of those whom it concerns', async () => {
  const { engine, notified, wait } = await startEngine()
  const isJobOf = (repository: string) => (change: Change) =>
    change.table === 'jobs' && change.row?.repository === repository
  wait('other', isJobOf('acme/other'))
  wait('first', isJobOf('acme/shop'))
  wait('second', isJobOf('acme/shop'))
  const submit = () =>
    engine.run((core, now) => core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now))
  submit()
  await settled()
  expect(notified).toEqual(['first'])
  submit()
  await settled()
  expect(notified).toEqual(['first', 'second'])
})

it('notifies all others when the notified runner does not come', async () => {
  const { engine, notified, wait } = await startEngine()
  for (const name of ['first', 'second', 'third']) wait(name, () => true)
  engine.run((core, now) => core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now))
  await settled()
  // The new repository concerns all; then one is notified of the job.
  expect(notified).toEqual(['first', 'second', 'third'])
  notified.length = 0
  for (const name of ['fourth', 'fifth']) wait(name, (change) => change.table === 'jobs')
  engine.run((core, now) => core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now))
  await settled()
  expect(notified).toEqual(['fourth'])
  engine.stir()
  await settled()
  expect(notified).toEqual(['fourth', 'fifth'])
})

async function startEngine() {
  const folder = untilTestEnds(await temporaryFolder())
  const journal = openJournal(folder.path)
  const engine = createEngine(
    createForgeCore({ entropy: seededEntropy(1) }),
    journal,
    machineClock,
    silentLog,
  )
  untilTestEnds({
    async [Symbol.asyncDispose]() {
      engine.close()
      journal.close()
    },
  })
  const notified: string[] = []
  const wait = (name: string, isFor: (change: Change) => boolean) =>
    void engine.news(isFor, holdMs, never).then(() => notified.push(name))
  return { engine, notified, wait }
}

/** Lets callbacks of resolved promises run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
