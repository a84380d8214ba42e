import { z } from 'zod'
import { aboutSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Context } from '../context.ts'
import { type Client, createClient } from './client.ts'

export interface Submission {
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  readonly script: string
}

/** The simulated forge for which a server works, with its own way to submit a job. */
export interface SimulatedForge {
  readonly installation: string
  /** Gives the forge's number of the job. */
  submit(job: Submission): Promise<number>
}

const submittedSchema = z.object({ id: z.int() })

/** Throws E_FORGE_NOT_SIMULATED where the server works for a real forge. */
export async function simulatedForgeOf(server: Client, context: Context): Promise<SimulatedForge> {
  const { forge, installation } = await server.get('/v1/about', aboutSchema)
  if (forge.kind !== 'simulated') throw new HoldfastError('E_FORGE_NOT_SIMULATED', { kind: forge.kind })
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
