import { readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import { clearLeftovers } from '../../src/adapters/embedded-postgres/leftover.ts'
import { isAlive } from '../../src/adapters/embedded-postgres/process-identity.ts'
import { openDatabase, targetOf } from '../../src/adapters/postgres/connection/index.ts'
import { grantTo, migrate } from '../../src/adapters/postgres/migrations/index.ts'
import { clock, entropy, recordedLog } from './machine.ts'
import { admin, at, templateName } from './postgres-admin.ts'
import { temporaryFolder } from './temporary.ts'

const prefix = 'holdfast-test-postgres-'
/** Test data may be lost: without waiting for the disk, a database is cloned in a few tens of milliseconds. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' }

/** One real server for the whole run, with a template database that has the repository's migrations. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await sweepEarlierRuns()
  const folder = await temporaryFolder(prefix)
  const server = await startEmbedded({ dataDir: folder.path, log: recordedLog(), clock, entropy, settings })
  project.provide('postgresUrl', server.url)
  project.provide('postgresTemplateProblem', await makeTemplate(server.url, server.programUrl))
  project.provide('postgresProgramUrl', server.programUrl)
  return async () => {
    await server.stop()
    await folder[Symbol.asyncDispose]()
  }
}

/** A broken migration fails the tests that need a database, with its message, and no others. */
async function makeTemplate(url: string, programUrl: string): Promise<string> {
  try {
    await admin(url, `create database ${templateName}`)
    const log = recordedLog()
    const database = await openDatabase({
      url: at(url, templateName),
      tls: { mode: 'disable' },
      log,
      clock,
      entropy,
    })
    try {
      await migrate(database, { log })
      await grantTo(database, targetOf(programUrl).user)
    } finally {
      await database.close()
    }
    return ''
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

/** A run that was killed leaves its server and its folder; they end here. */
async function sweepEarlierRuns(): Promise<void> {
  const parent = await realpath(tmpdir())
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue
    const home = path.join(parent, name, 'postgres')
    const record = await readFile(path.join(home, 'holdfast.lock'), 'utf8').catch(() => undefined)
    if (record === undefined || (await isHeld(record))) continue // being made, or in use
    await clearLeftovers(path.join(home, 'data'), clock, recordedLog())
    await rm(path.join(parent, name), { recursive: true, force: true })
  }
}

async function isHeld(record: string): Promise<boolean> {
  try {
    return await isAlive(JSON.parse(record))
  } catch {
    return false // torn while it was written
  }
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    postgresProgramUrl: string
    postgresTemplateProblem: string
  }
}
