import type { CronJobFact, NamespaceFact } from '../../../../domain/snapshot/index.ts'
import { type Cursor, each, flag, inside, name, texts } from './cursor.ts'
import { objectFact } from './object.ts'

/** Lines by which audits judge a cleaner. */
const deletingLine = /\bkubectl\b|\bdelete\b|field-selector/
const linesMax = 20
const lineCharsMax = 400

export function parseNamespace(namespace: Cursor): NamespaceFact {
  const object = objectFact(namespace)
  return { ...object, phase: name(inside(namespace, 'status'), 'phase') ?? 'Active' }
}

export function parseCronJob(cronJob: Cursor): CronJobFact {
  const spec = inside(cronJob, 'spec')
  const template = inside(inside(inside(spec, 'jobTemplate'), 'spec'), 'template')
  const lines = each(inside(template, 'spec'), 'containers').flatMap((container) =>
    [...texts(container, 'command'), ...texts(container, 'args')].join(' ').split('\n'),
  )
  return {
    ...objectFact(cronJob),
    schedule: name(spec, 'schedule') ?? '',
    isSuspended: flag(spec, 'suspend'),
    deleting: lines
      .filter((line) => deletingLine.test(line))
      .slice(0, linesMax)
      .map((line) => line.trim().slice(0, lineCharsMax)),
  }
}
