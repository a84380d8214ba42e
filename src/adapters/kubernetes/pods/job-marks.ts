import { redactText } from '../../../domain/redact/index.ts'
import type { JobMarks } from '../../../ports/runner-host.ts'
import { prefix } from './names.ts'

/** The API's bound of a label's value. */
const labelCharsMax = 63
/** Names of jobs and workflows are people's, and may be anything. */
const textCharsMax = 256

export interface ObjectMarks {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * What a pod says of its job, so that costs and logs can be joined with it: labels for who selects and sums, and the same
 * as it is, masked and bounded, in annotations. Labels are cut to what the API takes, so two jobs may share one.
 */
export function jobMarks(job: JobMarks): ObjectMarks {
  const { repository, name, workflow, runId, runAttempt, forgeJobId } = job
  const numbers = {
    [`${prefix}run-id`]: `${runId}`,
    [`${prefix}run-attempt`]: `${runAttempt}`,
    [`${prefix}job-id`]: `${forgeJobId}`,
  }
  const texts = {
    [`${prefix}repository`]: repository,
    ...(workflow === undefined ? {} : { [`${prefix}workflow`]: workflow }),
    [`${prefix}job`]: name,
  }
  const labels = Object.entries(texts).map(([key, text]) => [key, labelValue(redactText(text))] as const)
  const raw = Object.entries(texts).map(([key, text]) => [key, redactText(text).slice(0, textCharsMax)])
  return {
    labels: { ...Object.fromEntries(labels.filter(([, value]) => value !== '')), ...numbers },
    annotations: Object.fromEntries(raw),
  }
}

/** Letters, digits, `-`, `_` and `.`, the first and the last of them a letter or a digit. */
function labelValue(text: string): string {
  const known = text.replaceAll(/[^A-Za-z0-9._-]+/g, '.').replace(/^[._-]+/, '')
  return known.slice(0, labelCharsMax).replace(/[._-]+$/, '')
}
