import type { JobVerdict } from '../../domain/job-failure/index.ts'
import type { ApiJobVerdict } from '../contracts/explain.ts'
import { jobFailureText } from '../text/index.ts'

/** Why a job failed, as programs read it. */
export function jobVerdictView(verdict: JobVerdict): ApiJobVerdict {
  const { class: failure, confidence, rule, step, because } = verdict
  return { class: failure, confidence, rule, step, sentence: jobFailureText(verdict), because: [...because] }
}
