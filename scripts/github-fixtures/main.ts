import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { extractExamples, extractOperations, extractWebhooks, merged } from './extract.ts'
import { enterpriseOperations, events, operations } from './operations.ts'
import type { JsonObject } from './schema.ts'

/**
 * Cuts what the contract tests need out of GitHub's published descriptions. The packages are some hundred
 * megabytes, so they are installed in a temporary folder only.
 */
const sources = {
  '@octokit/openapi': '23.0.2',
  '@octokit/openapi-webhooks': '12.1.0',
  '@octokit/webhooks-examples': '7.6.1',
} as const
const fixtures = join(import.meta.dirname, '../../test/contract/github/fixtures')
const fixtureBytesMax = 1_500_000

const folder = mkdtempSync(join(tmpdir(), 'holdfast-github-'))
try {
  const packages = Object.entries(sources).map(([name, version]) => `${name}@${version}`)
  const npm = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
  execFileSync('npm', npm, { stdio: 'inherit', cwd: folder })
  const rest = read('@octokit/openapi/generated/api.github.com.json') as JsonObject
  const webhooks = read('@octokit/openapi-webhooks/generated/api.github.com.json') as JsonObject
  const examples = read('@octokit/webhooks-examples/api.github.com/index.json') as readonly JsonObject[]
  const enterprise = read('@octokit/openapi/generated/ghec.json') as JsonObject
  write(
    'openapi.json',
    ['@octokit/openapi'],
    merged(extractOperations(rest, operations), extractOperations(enterprise, enterpriseOperations)),
  )
  write('webhooks.json', ['@octokit/openapi-webhooks', '@octokit/webhooks-examples'], {
    ...extractWebhooks(webhooks, events),
    examples: extractExamples(examples, events),
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8'))
}

function write(name: string, from: readonly (keyof typeof sources)[], content: JsonObject): void {
  const versions = Object.fromEntries(from.map((source) => [source, sources[source]]))
  const text = oneLineEach({ sources: versions, ...content })
  if (text.length > fixtureBytesMax) throw new Error(`${name} has ${text.length} bytes: too much to keep`)
  writeFileSync(join(fixtures, name), text)
  console.log(`${name}: ${text.length} bytes`)
}

/** One line for each schema, so that a new version shows what changed. */
function oneLineEach(content: JsonObject): string {
  const parts = Object.entries(content).map(([key, value]) => {
    if (typeof value !== 'object' || value === null) return `${JSON.stringify(key)}: ${JSON.stringify(value)}`
    const open = Array.isArray(value) ? '[' : '{'
    const close = Array.isArray(value) ? ']' : '}'
    const lines = Object.entries(value).map(([name, part]) =>
      Array.isArray(value) ? JSON.stringify(part) : `${JSON.stringify(name)}: ${JSON.stringify(part)}`,
    )
    return `${JSON.stringify(key)}: ${open}\n${lines.join(',\n')}\n${close}`
  })
  return `{\n${parts.join(',\n')}\n}\n`
}
