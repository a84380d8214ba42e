import { HoldfastError } from '../../domain/errors/index.ts'
import type { JobFile, JobReader } from '../../ports/ledger.ts'
import { parseJobName } from './parse.ts'

/** Our number of the job that a path names. Throws E_JOB_UNKNOWN where the forge's number is not known here. */
export async function findJobId(text: string, ledger: JobReader): Promise<number> {
  const name = parseJobName(text)
  if (name.kind === 'ours') return name.id
  const job = await ledger.findJob(name.installation, name.forgeJobId)
  if (job === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: text })
  return job.id
}

/** The file of the job that a path names. Throws E_JOB_UNKNOWN. */
export async function findJobFile(text: string, ledger: JobReader): Promise<JobFile> {
  const file = await ledger.jobFile(await findJobId(text, ledger))
  if (file === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: text })
  return file
}
