import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { aDeath } from '../../../test/contract/record-sink/index.ts'
import { connectProxy, secureServer } from '../../../test/support/secure-server.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { loadConfig, secretsOf } from '../../platform/config/index.ts'
import { createBase } from '../base.ts'
import { openRecordSink } from './record-sink.ts'

const never = new AbortController().signal

async function open(s3: Record<string, string>) {
  const { path: folder } = untilTestEnds(await temporaryFolder())
  const settings = { bucket: 'evidence', accessKeyId: 'first', secretAccessKey: 'a-key', ...s3 }
  const file = path.join(folder, 'holdfast.yaml')
  const records = JSON.stringify({ sink: 's3', s3: settings })
  const { config } = loadConfig({
    env: { HOLDFAST_DATA_DIR: folder },
    flags: {},
    isRoot: false,
    readFile: (name) => (name === file ? `records: ${records}` : undefined),
  })
  let { s3: current } = secretsOf(config)
  const opened = openRecordSink(createBase(config), () => ({ s3: current }))
  untilTestEnds({ [Symbol.asyncDispose]: opened.close })
  const change = (over: Partial<typeof current>) => {
    current = { ...current, ...over }
  }
  return { sink: opened.sink, change }
}

describe('the way to a store of records', () => {
  it('leads through a proxy, trusts its own authority, and uses the key as it is now', async (context) => {
    const keys: (string | undefined)[] = []
    const { url, caFile } = await secureServer(context, (request, response) => {
      keys.push(/Credential=(\w+)/.exec(request.headers.authorization ?? '')?.[1])
      request.resume().on('end', () => response.end())
    })
    const proxy = await connectProxy()
    const { sink, change } = await open({ endpoint: url, caFile, proxy: proxy.url })
    await sink?.write([aDeath(1)], never)
    change({ accessKeyId: 'second' })
    await sink?.write([aDeath(2)], never)
    expect(keys).toEqual(['first', 'second'])
    expect(proxy.asked).toEqual([new URL(url).host])
  })

  it('does not trust an authority that nobody named', async (context) => {
    const { url } = await secureServer(context, (_, response) => void response.end())
    const { sink } = await open({ endpoint: url })
    await expect(sink?.write([aDeath(1)], never)).rejects.toThrow(/self-signed|SELF_SIGNED|UNABLE_TO_VERIFY/i)
  })

  it('is refused at the start where the file of authorities is none', async () => {
    const file = path.join(untilTestEnds(await temporaryFolder()).path, 'ca.pem')
    writeFileSync(file, 'no certificate')
    await expect(open({ caFile: file })).rejects.toThrow(/records\.s3\.caFile/)
  })
})
