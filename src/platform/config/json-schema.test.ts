import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { configJsonSchema } from './json-schema.ts'
import { settingList } from './settings.ts'

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
const validate = ajv.compile(configJsonSchema())

describe('the JSON Schema of the settings', () => {
  it('takes what Holdfast takes: nothing, sections, and secrets as files', () => {
    for (const good of [
      {},
      { http: { port: 9000 }, pools: [{ name: 'linux', labels: ['self-hosted'] }] },
      { databaseUrl: 'file:/etc/holdfast/url', forge: { webhookSecrets: ['file:/etc/holdfast/secret'] } },
      { keys: { current: 'a', ring: { a: 'file:/etc/holdfast/key' } } },
    ]) {
      expect(validate(good), JSON.stringify(validate.errors)).toBe(true)
    }
  })

  it.each([
    [{ http: { port: 'x' } }],
    [{ http: { prot: 1 } }],
    [{ unknown: 1 }],
    [{ databaseUrl: 'mysql://x' }],
    [{ log: { level: 'loud' } }],
    [{ pools: [] }],
  ])('refuses %j', (bad) => {
    expect(validate(bad)).toBe(false)
  })

  it('describes every setting', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a schema is as deep as the settings
    const at = (path: string): any =>
      path
        .split('.')
        // biome-ignore lint/suspicious/noExplicitAny: the same
        .reduce((inner: any, key) => inner?.properties?.[key], configJsonSchema())
    for (const { path, description } of settingList()) expect(at(path)?.description, path).toBe(description)
  })
})
