import { z } from 'zod'
import type { Log } from '../../ports/log.ts'
import { expectBody } from './answers.ts'
import type { Call } from './call.ts'

/**
 * The meaning of a job's `run_attempt`. Up to 1.26 a job that is rerun keeps its id, and an attempt counts once a runner
 * was `given` it. From 1.27 on each `attempt` of a run has jobs with ids of their own.
 */
export type Counting = 'given' | 'attempt'

export interface GiteaVersion {
  readonly text: string
  readonly counting: Counting
  /** Whether the tests run against a server of this release. */
  readonly isTried: boolean
}

/** Releases that `npm run test:gitea` runs against. */
const triedReleases = ['1.26', '1.27'] as const
/** From this one on attempts have jobs of their own. */
const attemptsSince = [1, 27] as const

/** The release of the server; null until the first answer. */
export interface Versions {
  current(): GiteaVersion | null
  /** Reads it again: a server may be upgraded at any time. */
  read(signal: AbortSignal): Promise<GiteaVersion>
}

const versionSchema = z.object({ version: z.string().min(1).max(100) })

export function createVersions(call: Call, log: Log): Versions {
  let known: GiteaVersion | null = null
  return {
    current: () => known,
    async read(signal) {
      const path = '/version'
      const { version } = expectBody(await call.rest('GET', path, signal), 200, versionSchema, `GET ${path}`)
      const read = versionOf(version)
      if (read.text !== known?.text) logVersion(read, log)
      known = read
      return read
    },
  }
}

/** A version without a release counts as the newest: it is a development build. */
export function versionOf(text: string): GiteaVersion {
  const [, major, minor] = /^v?(\d+)\.(\d+)(?:\D|$)/.exec(text) ?? []
  if (major === undefined || minor === undefined) return { text, counting: 'attempt', isTried: false }
  const [sinceMajor, sinceMinor] = attemptsSince
  const isSince = Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor)
  const isTried = (triedReleases as readonly string[]).includes(`${major}.${minor}`)
  return { text, counting: isSince ? 'attempt' : 'given', isTried }
}

function logVersion({ text, isTried }: GiteaVersion, log: Log): void {
  const facts = { version: text, tried: triedReleases.join(', ') }
  if (isTried) log.info(facts, 'Gitea answers')
  else log.warn(facts, 'This release of Gitea was not tested with Holdfast')
}
