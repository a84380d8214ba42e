import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { admin, at, templateName } from './postgres-admin.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  /** As the role that the program runs as, which owns nothing. */
  readonly programUrl: string
  drop(): Promise<void>
}

/** A fresh database on the run's server, cloned from one with the repository's migrations applied. */
export async function createDatabase(): Promise<TestDatabase> {
  const problem = inject('postgresTemplateProblem')
  if (problem !== '') throw new Error(`the template database could not be made: ${problem}`)
  return create(templateName)
}

/** A fresh database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return create('template0')
}

async function create(template: string): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await admin(server, `create database ${name} template ${template}`)
  const drop = async () => {
    await admin(server, `drop database if exists ${name} with (force)`)
  }
  const programUrl = at(inject('postgresProgramUrl'), name)
  return { url: at(server, name), programUrl, drop, [Symbol.asyncDispose]: drop }
}
