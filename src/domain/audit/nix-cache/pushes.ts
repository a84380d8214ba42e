import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { cacheNameMismatch, pushSkipped } from './classes.ts'
import { laneFinding } from './environment.ts'
import { cacheName, type NixLane, variable } from './lane.ts'

/** `attic push cache path` or `attic push server:cache path`. */
const pushed = /\battic push\s+(?:-\S+\s+)*(?:[\w.-]{1,100}:)?([\w.-]{1,100})/
const skipped = /attic.{0,100}\bskip|skip.{0,100}\battic|ATTIC_TOKEN.{0,60}(?:empty|not set|unset|missing)/i
const lineCharsMax = 200

interface PushLine {
  readonly line: string
  readonly job: string
}

/** Pushes of a lane's jobs by their logs. A job writes its own log: it is never proof. */
export function judgePushes(
  lane: NixLane,
  input: AuditInput,
  lines: readonly PushLine[],
): readonly Finding[] {
  const skip = lines.find(({ line }) => skipped.test(line))
  const cache = variable(lane, cacheName)
  const other = lines.find(
    ({ line }) => typeof cache === 'string' && (pushed.exec(line)?.[1] ?? cache) !== cache,
  )
  return [
    ...(skip === undefined
      ? []
      : [
          laneFinding(pushSkipped, lane, input, {
            confidence: 'likely',
            summary: `A job of ${keyOf(lane.set)} skipped its push to the Nix cache, and passed.`,
            evidence: [lineText(skip)],
            action: 'Give the job its token, and let the step fail without one.',
          }),
        ]),
    ...(other === undefined
      ? []
      : [
          laneFinding(cacheNameMismatch, lane, input, {
            confidence: 'likely',
            summary: `A job of ${keyOf(lane.set)} pushes to another cache than ${cache}, which its runners read.`,
            evidence: [`${cacheName} is ${cache}`, lineText(other)],
            action: 'Use one name: in the workflow that pushes, or in the lane.',
          }),
        ]),
  ]
}

/** Lines about the cache in jobs' logs, by the `namespace/name` of the scale set whose runner had the job. */
export function pushLinesBySet({ snapshot }: AuditInput): ReadonlyMap<string, readonly PushLine[]> {
  const { cluster, forge } = snapshot
  const setOfRunner = new Map(cluster.runners.items.map(({ name, scaleSet }) => [name, scaleSet]))
  const jobs = new Map(forge.jobs.items.map((job) => [`${job.repository} ${job.jobId}`, job]))
  const bySet = new Map<string, PushLine[]>()
  for (const { repository, jobId, lines } of forge.logs.items) {
    const runner = jobs.get(`${repository} ${jobId}`)?.runnerName ?? null
    const set = runner === null ? null : (setOfRunner.get(runner) ?? null)
    const about = set === null ? [] : lines.filter((line) => /attic/i.test(line))
    if (set === null || about.length === 0) continue
    const found = about.map((line) => ({ line, job: `${repository} job ${jobId}` }))
    bySet.set(keyOf(set), [...(bySet.get(keyOf(set)) ?? []), ...found])
  }
  return bySet
}

function lineText({ line, job }: PushLine): string {
  return `log of ${job}: ${line.trim().slice(0, lineCharsMax)}`
}
