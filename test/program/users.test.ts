import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isRoot, normalUser } from '../support/embedded.ts'
import { leftovers } from '../support/leftovers.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { outcomesOf, submit } from './support/jobs.ts'
import { newPlace, type Place } from './support/place.ts'
import { type Program, startProgram } from './support/start-program.ts'

const tree = fileURLToPath(new URL('../../', import.meta.url))
/** Parts of the tree that the program needs, without those of tests and builds. */
const needed = ['bin', 'src', 'sim', 'migrations', 'package.json', 'node_modules']

/** With no job left to wait for; a timer that nobody cleared holds a process for longer. */
const endsWithinMs = 15_000

const somebody = isRoot ? normalUser() : undefined
/** A user that a person of this machine has. */
const people = (await readFile('/etc/passwd', 'utf8'))
  .split('\n')
  .map((line) => line.split(':'))
  .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  .find(({ uid }) => uid >= 1_000 && uid < 60_000)

describe.runIf(isRoot)('holdfast up for other users', { timeout: 60_000 }, () => {
  it.runIf(somebody !== undefined)('serves and runs jobs for a normal user', async () => {
    await servesAndRuns(untilTestEnds(await newPlace(somebody)))
  })

  it('serves and runs jobs for root from a folder that only root may read', async () => {
    const place = untilTestEnds(await newPlace())
    const folder = untilTestEnds(await temporaryFolder('holdfast-checkout-'))
    const checkout = path.join(folder.path, 'checkout')
    await copyTree(checkout)
    await chmod(folder.path, 0o700)
    const program = await servesAndRuns(place, [path.join(checkout, 'bin', 'holdfast')])
    await program.says(/the embedded Postgres runs from a cache/)
  })
})

describe.runIf(isRoot && people !== undefined)('holdfast up with runners.runAs', { timeout: 60_000 }, () => {
  it('runs jobs as that user, which cannot read what is of Holdfast, and says what is not separated', async () => {
    const place = untilTestEnds(await newPlace())
    const env = { HOLDFAST_RUNNERS_RUN_AS: people?.name ?? '' }
    const program = untilTestEnds(await startProgram(place, { env }))
    const tries = `! cat /proc/${program.pid}/environ 2> /dev/null && ! ls ${place.dataDir}/runners 2> /dev/null`
    const isTheirs = `[ "$(id -u)" = ${people?.uid} ] && [ "$(id -G)" = ${people?.gid} ]`
    const ids = await submit(place, `${isTheirs} && ${tries} && touch "$HOME/mine" "$TMPDIR/mine"`)
    expect(await outcomesOf(place, ids)).toEqual(['success'])
    expect(await (await fetch(place.url)).text()).toContain('apart from Holdfast, and not from each other')
    expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(await leftovers(place.dataDir)).toEqual([])
  })
})

/** A job sees whose it is: under root a user of its own, else Holdfast's; then all ends in order. */
async function servesAndRuns(place: Place, command?: readonly string[]): Promise<Program> {
  const program = untilTestEnds(await startProgram(place, { ...(command && { command }) }))
  const isOwn = '[ "$(id -u)" -ge 60706 ] && [ "$(id -u)" -le 61183 ] && touch "$HOME/mine" "$TMPDIR/mine"'
  const ids = await submit(place, place.user === undefined ? isOwn : `test "$(id -u)" = ${place.user.uid}`)
  expect(await outcomesOf(place, ids)).toEqual(['success'])
  const askedAt = performance.now()
  expect(await program.end('SIGTERM')).toMatchObject({ code: 0 })
  expect(performance.now() - askedAt).toBeLessThan(endsWithinMs)
  expect(await leftovers(place.dataDir)).toEqual([])
  return program
}

/** Links where the file system allows it: the packages are some hundred megabytes. */
async function copyTree(checkout: string): Promise<void> {
  await mkdir(checkout)
  const sources = needed.map((name) => path.join(tree, name))
  const linked = spawnSync('cp', ['-al', ...sources, checkout])
  if (linked.status === 0) return
  const copied = spawnSync('cp', ['-a', '--reflink=auto', ...sources, checkout], { encoding: 'utf8' })
  if (copied.status !== 0) throw new Error(copied.stderr)
}
