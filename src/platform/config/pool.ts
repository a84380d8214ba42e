import { z } from 'zod'
import { priorities } from '../../domain/job/index.ts'
import type { Pool } from '../../domain/pool/index.ts'
import { setting } from './setting.ts'

const RUNNERS_MAX = 10_000
const LABELS_MAX = 50
const PRIORITY_RULES_MAX = 200
const MINUTE_MS = 60_000

const name = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/, 'lower-case letters, digits and inner hyphens, at most 40')
const label = z.string().regex(/^[^\s,]{1,100}$/, 'a label without spaces or commas, at most 100 characters')
const glob = z.string().min(1).max(200)
const positive = z.number().positive()
const count = z.int().min(1)

const limitsSchema = z.strictObject({
  memoryMiB: setting('Memory of one runner.', count.optional()),
  cpus: setting('Processors of one runner; fractions are allowed.', positive.optional()),
  pids: setting('Processes and threads of one runner.', count.optional()),
})

const fairnessSchema = z.strictObject({
  weights: setting(
    'Share of each repository (`owner/name`) relative to the others; what is not listed weighs 1.',
    z.record(z.string().min(1), positive).default({}),
  ),
  capPerRepository: setting('Most jobs of one repository at a time.', count.optional()),
  capPerOwner: setting('Most jobs of one owner at a time.', count.optional()),
  ageingMinutes: setting(
    'A job that waited longer goes before every class, the oldest first.',
    positive.default(30),
  ),
})

const prioritySchema = z.strictObject({
  repository: setting('Which repositories, as a glob over `owner/name`.', glob),
  job: setting('Which jobs, as a glob over their names.', glob.optional()),
  class: setting('The class of what matches; the first rule that matches counts.', z.enum(priorities)),
})

/** One pool: which jobs it takes, how many runners it keeps, and who comes first. */
export const poolSchema = z
  .strictObject({
    name: setting('The name of the pool, unique.', name),
    labels: setting('Takes jobs whose labels are all among these.', z.array(label).min(1).max(LABELS_MAX)),
    minWarm: setting('Runners that wait ready for a job.', z.int().min(0).max(RUNNERS_MAX).default(1)),
    maxRunners: setting('Most runners at a time.', z.int().min(1).max(RUNNERS_MAX).default(4)),
    runnerCommand: setting(
      'Program and arguments of a local runner; without it, the runner that comes with Holdfast.',
      z.array(z.string().min(1)).min(1).optional(),
    ),
    limits: setting('What one runner may use.', limitsSchema.optional()),
    fairness: setting('How repositories share the pool.', fairnessSchema.prefault({})),
    priorities: setting(
      'Which jobs go first; what no rule matches is `normal`.',
      z.array(prioritySchema).max(PRIORITY_RULES_MAX).default([]),
    ),
  })
  .refine((pool) => pool.minWarm <= pool.maxRunners, { path: ['minWarm'], error: 'at most maxRunners' })

export type PoolConfig = z.output<typeof poolSchema>

/** A pool in the terms of the domain. */
export function toPool({ name, labels, minWarm, maxRunners, fairness, priorities }: PoolConfig): Pool {
  const { weights, capPerRepository = null, capPerOwner = null, ageingMinutes } = fairness
  return {
    name,
    labels,
    minWarm,
    maxRunners,
    fairness: { weights, capPerRepository, capPerOwner, ageingMs: ageingMinutes * MINUTE_MS },
    priorities,
  }
}
