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
const HOLD_MS = 60_000
const job = { name: 'build', labels: ['linux'], script: '' }

it('tells one runner of each job, the longest waiting of those whom it concerns', async () => {
  const { engine, told, wait } = await startEngine()
  const isJobOf = (repository: string) => (change: Change) =>
    change.table === 'jobs' && change.row?.repository === repository
  wait('other', isJobOf('acme/other'))
  wait('first', isJobOf('acme/shop'))
  wait('second', isJobOf('acme/shop'))
  const submit = () =>
    engine.run((core, now) => core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now))
  submit()
  await settled()
  expect(told).toEqual(['first'])
  submit()
  await settled()
  expect(told).toEqual(['first', 'second'])
})

it('tells all others when the one who was told does not come', async () => {
  const { engine, told, wait } = await startEngine()
  for (const name of ['first', 'second', 'third']) wait(name, () => true)
  engine.run((core, now) => core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now))
  await settled()
  // The repository that was made concerns all; then one is told of the job.
  expect(told).toEqual(['first', 'second', 'third'])
  told.length = 0
  for (const name of ['fourth', 'fifth']) wait(name, (change) => change.table === 'jobs')
  engine.run((core, now) => core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now))
  await settled()
  expect(told).toEqual(['fourth'])
  engine.stir()
  await settled()
  expect(told).toEqual(['fourth', 'fifth'])
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
  const told: string[] = []
  const wait = (name: string, isFor: (change: Change) => boolean) =>
    void engine.news(isFor, HOLD_MS, never).then(() => told.push(name))
  return { engine, told, wait }
}

/** What was resolved has been heard of. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
