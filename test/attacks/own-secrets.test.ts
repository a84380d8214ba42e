import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { outcomesOf, submit } from '../program/support/jobs.ts'
import { newPlace, type Place } from '../program/support/place.ts'
import { holdfast, holdfastJson } from '../program/support/program.ts'
import { startProgram } from '../program/support/start-program.ts'
import { ask } from '../support/embedded.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { ownSecretsOf, secretFiles } from './support/own-secrets.ts'

/** Prints each as it is, with a colour in it, in base64, and in an address; then ends its own runner, so that all is evidence. */
const attack = (dataDir: string): string =>
  [
    `cd ${dataDir}`,
    `for file in ${secretFiles.join(' ')}; do`,
    '  secret=$(cat "$file")',
    '  printf "%s\\n" "$secret"',
    '  printf "%s\\n" "$secret" | sed "s/^\\(......\\)/\\1\\x1b[31m/"',
    '  printf "user:%s" "$secret" | base64 -w0; echo',
    '  printf "https://%s@example.org/\\n" "$secret"',
    'done',
    'kill -9 "$PPID"',
  ].join('\n')

describe("a job that prints Holdfast's own secrets and dies", { timeout: 180_000 }, () => {
  it('leaves none of them in the ledger, the API, the pages, the records and the log', async () => {
    const place = untilTestEnds(await newPlace())
    // As root a job would be another user and find none of them; so it is one of the same user.
    const env = { HOLDFAST_RECORDS_SINK: 'folder', HOLDFAST_RUNNERS_ISOLATION: 'off' }
    const program = untilTestEnds(await startProgram(place, { env }))
    const ids = await submit(place, attack(place.dataDir))
    await outcomesOf(place, ids)
    const { deaths: ends } = await holdfastJson<{ deaths: { runner: string }[] }>(place, 'deaths')
    expect(ends).toHaveLength(1)

    // The record goes to the folder after the ledger has it.
    await expect.poll(() => filesIn(place, 'records').catch(() => ({}))).not.toEqual({})
    const left = { ...(await answers(place)), ...(await rows(place)), ...(await filesIn(place, 'records')) }
    const { out, err } = await program.end('SIGTERM')
    Object.assign(left, { out, err }, await filesIn(place, 'postgres/log'))
    const planted = await ownSecretsOf(place)
    expect(Object.values(left).join('\n')).toContain('[redacted]')
    for (const [where, text] of Object.entries(left)) {
      const found = planted.filter(({ secret }) => text.includes(secret)).map(({ name }) => name)
      expect({ where, found }).toEqual({ where, found: [] })
    }
  })
})

async function answers(place: Place): Promise<Record<string, string>> {
  const [job] = (await holdfastJson<{ jobs: { id: number }[] }>(place, 'jobs', '--all')).jobs
  const id = String(job?.id)
  const token = (await readFile(path.join(place.dataDir, 'operator-token'), 'utf8')).trim()
  const headers = { authorization: `Bearer ${token}` }
  const paths = [
    '/',
    '/metrics',
    '/v1/jobs',
    `/v1/jobs/${id}`,
    `/v1/jobs/${id}/log`,
    `/jobs/${id}`,
    '/v1/deaths',
    '/v1/decisions',
  ]
  const texts: [string, string][] = []
  for (const each of paths) {
    const answer = await fetch(`${place.url}${each}`, { headers })
    texts.push([each, await answer.text()])
  }
  for (const command of [
    ['explain', id],
    ['explain', id, '--json'],
    ['log', id],
    ['why', id],
  ]) {
    const { out, err } = await holdfast(place, ...command)
    texts.push([command.join(' '), out + err])
  }
  return Object.fromEntries(texts)
}

/** Every row of every table, as the owner of the database sees it. */
async function rows({ dataDir }: Place): Promise<Record<string, string>> {
  const [port, password] = await Promise.all(
    ['port', 'password'].map((name) => readFile(path.join(dataDir, 'postgres', name), 'utf8')),
  )
  const url = `postgres://holdfast:${password?.trim()}@127.0.0.1:${port?.trim()}/holdfast`
  const tables = await ask(
    url,
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  )
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const all = await ask(url, `select t::text as row from ${name} t`)
      return [String(name), all.map(({ row }) => row).join('\n')] as const
    }),
  )
  return Object.fromEntries(found)
}

async function filesIn({ dataDir }: Place, folder: string): Promise<Record<string, string>> {
  const root = path.join(dataDir, folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(found.map(async (file) => [file, await readFile(file, 'latin1')])),
  )
}
