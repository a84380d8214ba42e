import { agents } from './entries/agents.ts'
import { cluster } from './entries/cluster.ts'
import { commands } from './entries/commands.ts'
import { embedded } from './entries/embedded.ts'
import { jobs } from './entries/jobs.ts'
import { keys } from './entries/keys.ts'
import { ledger } from './entries/ledger.ts'
import { program } from './entries/program.ts'
import { remedies } from './entries/remedies.ts'
import { requests } from './entries/requests.ts'
import { runners } from './entries/runners.ts'
import { sinks } from './entries/sinks.ts'
import { snapshots } from './entries/snapshots.ts'

/** Every error that Holdfast names, in one table; docs/reference/errors.md is generated from it. */
export const errorTable = {
  ...program,
  ...jobs,
  ...ledger,
  ...embedded,
  ...keys,
  ...runners,
  ...cluster,
  ...agents,
  ...sinks,
  ...requests,
  ...commands,
  ...snapshots,
  ...remedies,
} as const

export type ErrorCode = keyof typeof errorTable
