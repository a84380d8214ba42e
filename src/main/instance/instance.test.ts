import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { KeptLog } from '../../platform/lifecycle/fakes.ts'
import type { Base } from '../base.ts'
import { instanceIn, instancesOf, registerInstance } from './index.ts'

const url = 'http://127.0.0.1:9123'

describe('an instance that noted where it serves', () => {
  it('is found by its data folder and by its user, in files for that user alone, until it forgets', async () => {
    const { dataDir, asker, noted, runtime } = await start()
    const found = { pid: process.pid, url, dataDir }
    expect(await instanceIn(dataDir)).toMatchObject(found)
    expect(await instancesOf(asker)).toMatchObject([found])
    const files = [path.join(dataDir, 'instance.json'), path.join(runtime, 'holdfast', `${process.pid}.json`)]
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600)
    await noted.remove()
    expect([await instanceIn(dataDir), await instancesOf(asker)]).toEqual([null, []])
    expect(await readdir(dataDir)).toEqual([])
  })

  it('is not found once another process has its pid, and the next start takes its note away', async () => {
    const { dataDir, asker, base, runtime } = await start()
    for (const file of [path.join(dataDir, 'instance.json'), noteIn(runtime)]) {
      await writeFile(file, (await readFile(file, 'utf8')).replace(/"startedAt":"/, '"startedAt":"9'))
    }
    expect([await instanceIn(dataDir), await instancesOf(asker)]).toEqual([null, []])
    await writeFile(path.join(runtime, 'holdfast', '4194305.json'), '{torn')
    await registerInstance(base, url, asker)
    expect(await readdir(path.join(runtime, 'holdfast'))).toEqual([`${process.pid}.json`])
  })

  it('is not found by a note that others could have written, nor by one of another folder', async () => {
    const { dataDir, asker, runtime } = await start()
    await chmod(noteIn(runtime), 0o666)
    expect(await instancesOf(asker)).toEqual([])
    expect(await instancesOf({ ...asker, uid: asker.uid + 1 })).toEqual([])
    const copy = `${dataDir}-copy`
    await cp(dataDir, copy, { recursive: true })
    expect(await instanceIn(copy)).toBeNull()
  })

  it('starts all the same where nothing can be noted', async () => {
    const { base, dataDir } = await start()
    const noFolder = path.join(dataDir, 'instance.json')
    const asker = { env: { XDG_RUNTIME_DIR: noFolder }, uid: process.getuid?.() ?? 0 }
    await expect(registerInstance(base, url, asker)).resolves.toBeDefined()
  })
})

function noteIn(runtime: string): string {
  return path.join(runtime, 'holdfast', `${process.pid}.json`)
}

async function start() {
  const folder = untilTestEnds(await temporaryFolder())
  const [dataDir, runtime] = [path.join(folder.path, 'data'), path.join(folder.path, 'run')]
  await mkdir(dataDir)
  const base = { config: { dataDir }, log: new KeptLog() } as unknown as Base
  const asker = { env: { XDG_RUNTIME_DIR: runtime }, uid: process.getuid?.() ?? 0 }
  return { dataDir, runtime, base, asker, noted: await registerInstance(base, url, asker) }
}
