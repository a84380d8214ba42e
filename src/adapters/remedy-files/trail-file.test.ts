import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { trailContract, trailEntry } from '../../../test/contract/trail/index.ts'
import { chained, headOf, problemsOf } from '../../domain/trail/index.ts'
import { memoryTrail } from '../../remedy/testing/memory-trail.ts'
import { createTrailFile } from './trail-file.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

let file: string
let headFile: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trail-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  file = join(folder, 'remedies', 'trail.jsonl')
  headFile = join(folder, 'head.json')
})
const open = () => createTrailFile({ file, headFile, digest })

async function withRows(count: number) {
  for (let index = 1; index <= count; index++) await open().append(trailEntry(`row ${index}`))
  return { lines: readFileSync(file, 'utf8').trimEnd().split('\n'), head: readFileSync(headFile, 'utf8') }
}
const problems = async () => problemsOf(await open().rows(), await open().head(), digest)
const write = (lines: readonly string[]) => writeFileSync(file, lines.map((line) => `${line}\n`).join(''))

describe('in a file', () => {
  trailContract(async () => open(), digest)

  it('is its owner’s alone', async () => {
    await withRows(1)
    expect([file, headFile].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600])
  })

  it.each<[string, (lines: string[]) => readonly string[]]>([
    ['was changed', (lines) => lines.map((line) => line.replace('row 2', 'row X'))],
    ['was removed from the middle', (lines) => lines.toSpliced(1, 1)],
    ['was removed from the end', (lines) => lines.slice(0, -1)],
    ['was added twice', (lines) => [...lines, ...lines.slice(-1)]],
    ['was moved', (lines) => lines.toReversed()],
  ])('with a row that %s is found, and takes no more rows', async (_, change) => {
    const { lines } = await withRows(4)
    write(change(lines))
    const before = readFileSync(file, 'utf8')
    expect(await problems()).not.toEqual([])
    await expect(open().append(trailEntry('more'))).rejects.toMatchObject({ code: 'E_TRAIL_BROKEN' })
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('whose head alone was removed is found', async () => {
    await withRows(3)
    rmSync(headFile)
    expect(await problems()).not.toEqual([])
    await expect(open().append(trailEntry('more'))).rejects.toMatchObject({ code: 'E_TRAIL_BROKEN' })
  })

  it('that is no trail is refused by name and line', async () => {
    await withRows(1)
    appendFileSync(file, '{"number":2}\n')
    await expect(open().rows()).rejects.toMatchObject({
      message: expect.stringContaining('line 2 is no row'),
    })
  })
})

describe('a program that was killed', () => {
  it('between a row and its head left a row that counts', async () => {
    await withRows(2)
    const row = chained(trailEntry('three'), headOf(await open().rows()), digest)
    appendFileSync(file, `${JSON.stringify(row)}\n`)
    expect(await problems()).toEqual([expect.stringContaining('1 rows stand after the head')])
    expect(await open().append(trailEntry('four'))).toMatchObject({ number: 4 })
    expect(await problems()).toEqual([])
  })

  it('in the middle of a row left nothing that counts', async () => {
    await withRows(2)
    appendFileSync(file, '{"number":3,"at"')
    expect(await open().rows()).toHaveLength(2)
    expect(await open().append(trailEntry('three'))).toMatchObject({ number: 3 })
    expect(await problems()).toEqual([])
  })
})

describe('in memory', () => {
  trailContract(async () => memoryTrail(digest), digest)
})
