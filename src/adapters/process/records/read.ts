import { z } from 'zod'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { reasonOf } from '../../../domain/reason.ts'
import { readText } from './files.ts'
import type { EndingRecord, LiveRecord, RunnerRecord, StartRecord, StopRecord } from './types.ts'

const instant = z.number()
const count = z.number().min(0)
const identity = z.object({ pid: z.int().positive(), startTicks: count, bootId: z.string() })
const folder = z.string().startsWith('/').optional()
const groups = z.object({
  version: z.literal([1, 2]),
  folders: z.object({ memory: folder, pids: folder, cpu: folder, cpuacct: folder }),
  memoryLimitBytes: count.nullable(),
})
const sample = z.object({
  at: instant,
  memoryBytes: count.nullable(),
  cpuMs: count.nullable(),
  processes: count.nullable(),
})

const user = z.object({
  uid: z.int().positive(),
  home: z.string().startsWith('/'),
  through: z.array(z.string()),
})
const start = z.object({
  name: z.string(),
  pool: z.string(),
  host: z.string(),
  requestedAt: instant,
  command: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  groups: groups.nullable(),
  runsJobAsChild: z.boolean().optional(), // earlier records do not have it
  user: user.nullable().optional(), // nor this
  sharedUser: user.extend({ isShared: z.literal(true) }).optional(),
})
const runner = z.object({
  name: z.string(),
  pool: z.string(),
  startedAt: instant.nullable(),
  shim: identity,
  runner: identity.nullable(),
})
const stop = z.object({ reason: z.string(), requestedAt: instant, graceMs: count })
const live = z.object({ at: instant, tail: z.string(), samples: z.array(sample) })
const ending = z.object({
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  startedAt: instant.nullable(),
  endedAt: instant,
  tail: z.string(),
  oomKills: count.nullable(),
  memoryPeakBytes: count.nullable(),
  memoryLimitBytes: count.nullable(),
  samples: z.array(sample),
  stopRequestedBy: z.string().nullable(),
  pod: z.null().default(null), // earlier records do not have it
  missing: z.array(z.string()),
  supervisor: z.literal('killed').exactOptional(),
})

/** Each reads one record: null where there is none; throws an error that names the file where it is invalid. */
export const readStart = (file: string): Promise<StartRecord | null> =>
  read(file, start as z.ZodType<StartRecord>)
export const readRunner = (file: string): Promise<RunnerRecord | null> => read(file, runner)
export const readStop = (file: string): Promise<StopRecord | null> => read(file, stop)
export const readEnding = (file: string): Promise<EndingRecord | null> => read(file, ending)

/** The newest output and samples of a killed supervisor; an invalid file is as good as none. */
export async function readLive(file: string): Promise<LiveRecord | null> {
  return read(file, live).catch(() => null)
}

async function read<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  let text: string | null
  try {
    text = await readText(file)
    if (text === null) return null
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error)
    throw new HoldfastError('E_HOST_RECORD', { file, reason }, error)
  }
}
