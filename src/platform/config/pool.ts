import { z } from 'zod'
import { podShape, poolName, poolRules, poolShape, provisioningWithin, toPool } from '../../api/pool/index.ts'
import { setting } from '../../api/schema/index.ts'

/** A process that takes longer to ask for its job hangs. */
const localStartSeconds = 30

const limits = z.strictObject({
  memoryMiB: setting('Memory of one runner.', z.int().min(1).optional()),
  cpus: setting('Processors of one runner; fractions are allowed.', z.number().positive().optional()),
  pids: setting('Processes and threads of one runner.', z.int().min(1).optional()),
})

const localShape = {
  runnerCommand: setting(
    'Program and arguments of a local runner; without it, the runner that comes with Holdfast.',
    z.array(z.string().min(1)).min(1).optional(),
  ),
  limits: setting('What one local runner may use.', limits.optional()),
}

const plain = z.strictObject({
  name: setting('The name of the pool, unique.', poolName),
  ...poolShape,
  provisioning: setting('How runners are started.', provisioningWithin(localStartSeconds).prefault({})),
  ...localShape,
  ...podShape,
})

/**
 * One pool of the file: what a RunnerPool declares, and what only processes of this machine have. What only pods have
 * is taken as well, so that one declaration serves for both places.
 */
export const poolSchema = poolRules.reduce(
  (schema, { at, expected, holds }) =>
    schema.refine(holds, { error: expected, ...(at !== undefined && { path: [at] }) }),
  plain,
)

export { toPool }
