import { z } from 'zod'
import { aboutSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isSimulated } from '../../domain/forge/index.ts'
import type { Context } from '../context.ts'
import { type Client, createClient } from './client.ts'

export interface Submission {
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  readonly script: string
}

/** The simulated forge of a server, to which jobs are submitted directly. */
export interface SimulatedForge {
  readonly installation: string
  /** Returns the forge's number of the job. */
  submit(job: Submission): Promise<number>
}

const submittedSchema = z.object({ id: z.int() })

/** The simulated forge of a server. Throws E_FORGE_NOT_SIMULATED where the server has a real forge. */
export async function simulatedForgeOf(server: Client, context: Context): Promise<SimulatedForge> {
  const { forge, installation } = await server.get('/v1/about', aboutSchema)
  if (!isSimulated(forge.kind)) throw new HoldfastError('E_FORGE_NOT_SIMULATED', { kind: forge.kind })
  const client = createClient({
    url: forge.url.replace(/\/$/, ''),
    token: server.token,
    fetch: context.fetch,
    unreachable: (why) =>
      new HoldfastError('E_FORGE_UNAVAILABLE', { call: `POST ${forge.url}/_sim/jobs`, why }),
  })
  return {
    installation,
    submit: async (job) => (await client.post('/_sim/jobs', submittedSchema, { body: job })).id,
  }
}
