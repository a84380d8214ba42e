import { z } from 'zod'
import { isError } from '../../../domain/errors/index.ts'
import type { AnnotationFact } from '../../../domain/snapshot/index.ts'
import { annotationSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { expectBody } from '../transport/expect.ts'
import { repositoryPath } from './paths.ts'

/** One page: GitHub shows at most 50 annotations of a step. */
const perPage = 100

/**
 * Reads the annotations of a job, whose check run has its number. Null where they cannot be read: they need a right of
 * their own (checks), and the job is worth reading without them.
 */
export async function readAnnotations(
  call: Call,
  repository: string,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<readonly AnnotationFact[] | null> {
  const path = `${repositoryPath(repository)}/check-runs/${forgeJobId}/annotations`
  try {
    const answer = await call('GET', `${path}?per_page=${perPage}`, signal)
    const annotations = expectBody(answer, 200, z.array(annotationSchema), `GET ${path}`)
    return annotations.map(({ annotation_level, title, message }) => ({
      level: annotation_level ?? 'notice',
      title: title || null,
      message: message ?? '',
    }))
  } catch (error) {
    if (signal.aborted || !isError(error, 'E_FORGE_UNAVAILABLE')) throw error
    return null
  }
}
