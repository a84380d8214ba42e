import { appendFile, chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { aDeath, recordSinkContract } from '../../../test/contract/record-sink/index.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createFolderSink } from './index.ts'

const never = new AbortController().signal
const today = 'deaths-2026-11-16.jsonl'

async function makeFolder() {
  const folder = path.join(untilTestEnds(await temporaryFolder()).path, 'records')
  const lines = async () => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.jsonl')).toSorted()
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
    return texts.flatMap((text) => text.split('\n').slice(0, -1))
  }
  const clock = { now: () => Date.UTC(2026, 10, 17, 1) }
  const sink = createFolderSink({ folder, clock, keepDays: 30 })
  return { clock, folder, file: path.join(folder, today), sink, lines }
}

recordSinkContract('a folder', async () => {
  const made = await makeFolder()
  const aside = `${made.folder}-aside`
  return {
    ...made,
    // A file instead of the folder: not even root can write into it.
    async fail() {
      await rename(made.folder, aside)
      await writeFile(made.folder, '')
    },
    async mend() {
      await rename(made.folder, `${made.folder}-file`)
      await rename(aside, made.folder)
    },
  }
})

describe('a folder of records', () => {
  it('has one file for each day, which only its owner may read', async () => {
    const { folder, file, sink } = await makeFolder()
    await sink.write([aDeath(1), aDeath(2, { sealedAt: Date.UTC(2026, 10, 17) })], never)
    expect((await readdir(folder)).toSorted()).toEqual([today, 'deaths-2026-11-17.jsonl'])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['a line', '{"id":2,"sealed'],
    ['a long line', `{"id":2,"tail":"${'x'.repeat(200_000)}`],
    ['a character', Buffer.from('{"id":2,"tail":"ü').subarray(0, -1)],
  ])('goes on with a whole line after a crash in the middle of %s', async (_, torn) => {
    const { file, sink, lines } = await makeFolder()
    await sink.write([aDeath(1)], never)
    await appendFile(file, torn)
    await sink.write([aDeath(2), aDeath(3)], never)
    expect((await lines()).map((line) => JSON.parse(line).id)).toEqual([1, 2, 3])
  })

  it('goes on after a crash in the first line of a file', async () => {
    const { folder, file, sink, lines } = await makeFolder()
    await mkdir(folder)
    await writeFile(file, '{"id":1')
    await sink.write([aDeath(1)], never)
    expect((await lines()).map((line) => JSON.parse(line).id)).toEqual([1])
  })

  it('leaves files of others, and permissions that they set', async () => {
    const { folder, file, sink } = await makeFolder()
    await mkdir(folder)
    await writeFile(path.join(folder, 'notes.txt'), 'mine')
    await sink.write([aDeath(1)], never)
    await chmod(file, 0o640)
    await sink.write([aDeath(2)], never)
    expect(await readFile(path.join(folder, 'notes.txt'), 'utf8')).toBe('mine')
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  it('names the folder where it cannot write', async () => {
    const folder = '/dev/null/records'
    const sink = createFolderSink({ folder, clock: { now: () => 0 }, keepDays: 1 })
    await expect(sink.write([aDeath(1)], never)).rejects.toThrow(folder)
  })

  it('deletes the files of days beyond the retention, and no others', async () => {
    const { clock, folder, sink } = await makeFolder()
    const old = ['deaths-2026-10-17.jsonl', 'deaths-2019-01-01.jsonl']
    const stay = ['deaths-2026-10-18.jsonl', 'deaths-2026-10-18.jsonl.gz', 'deaths-2019.jsonl', 'notes.txt']
    await mkdir(folder)
    for (const name of [...old, ...stay]) await writeFile(path.join(folder, name), '')
    await sink.write([aDeath(1)], never)
    expect((await readdir(folder)).toSorted()).toEqual([...stay, today].toSorted())
    clock.now = () => Date.UTC(2026, 10, 18)
    await sink.write([aDeath(2)], never)
    expect(await readdir(folder)).not.toContain('deaths-2026-10-18.jsonl')
  })

  it('reports a failure, and writes no record twice, where an old file cannot be deleted', async () => {
    const { folder, sink, lines } = await makeFolder()
    await mkdir(path.join(folder, 'deaths-2019-01-01.jsonl'), { recursive: true })
    await expect(sink.write([aDeath(1)], never)).rejects.toMatchObject({ code: 'E_SINK_FAILED' })
    await rename(path.join(folder, 'deaths-2019-01-01.jsonl'), path.join(folder, 'mine'))
    await sink.write([aDeath(1)], never)
    expect(await lines()).toHaveLength(1)
  })
})
