import { durationText } from '../../domain/format.ts'
import type { Context } from '../context.ts'
import type { HostTreated } from '../deps.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

const pad = 2

/** The plan for a person who decides, or how its run ended. `again` is the command that applies it, without the hash. */
export function hostTreatedText(report: HostTreated, again: string, context: Context): string {
  const { state, plan, hash, run, head, place } = report
  if (run === null)
    return (state === 'planned' ? plannedLines(report, again, context) : nothingLines(report, context)).join(
      '\n',
    )
  const failed = run.gates.filter(({ passed }) => !passed)
  return [
    `${titles[state] ?? state} (${plan.remedy}, plan ${hash.slice(0, 12)})`,
    ...run.treated.map((name) => `  ${plan.remedy}  ${printable(name)}`),
    ...block(run.outcome, context),
    ...failed.flatMap(({ gate, proof }) => block(`failed ${gate}: ${proof}`, context)),
    `Trail: ${head.count} rows in ${place}, head ${head.count}:${head.hash}`,
  ].join('\n')
}

const titles: Partial<Record<HostTreated['state'], string>> = {
  done: 'Done and proven',
  blocked: 'Blocked, nothing was done',
  aborted: 'Aborted, the host is not the plan’s any more',
  escalated: 'Escalated, a person must look',
}

function plannedLines({ plan, hash }: HostTreated, again: string, context: Context): readonly string[] {
  const goodMs = plan.expiresAt - plan.plannedAt
  return [
    `Plan ${hash}`,
    `A dry run: nothing was changed. Good for ${durationText(goodMs)}, until ${new Date(plan.expiresAt).toISOString()}.`,
    '',
    ...plan.objects.flatMap((each) => [
      ...block(`${actText(each)}: ${each.why}`, context),
      ...(each.kind === 'WorkFolder' ? pathLines(each.blocking, context) : []),
      ...each.evidence.flatMap((fact) => wrapped(printable(fact), '    - ', 6, context.width)),
    ]),
    '',
    'To apply exactly this, or nothing:',
    `  ${again} --apply ${hash}`,
  ]
}

function actText(each: HostTreated['plan']['objects'][number]): string {
  if (each.kind === 'RunnerHost') return each.name
  return `${each.namespace}: ${each.target.mode === 'remove' ? 'empty' : 'unlock'} ${each.name}`
}

function pathLines(
  { count, paths }: { readonly count: number; readonly paths: readonly string[] },
  { width }: Context,
): readonly string[] {
  const more = count - paths.length
  return [
    ...paths.flatMap((path) => wrapped(printable(path), '    ', 4, width)),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ]
}

function nothingLines({ state, plan }: HostTreated, context: Context): readonly string[] {
  const failed = plan.gates.filter(({ passed }) => !passed)
  return [
    state === 'blocked' ? 'Blocked, nothing can be planned:' : 'Nothing to do.',
    ...failed.flatMap(({ gate, proof }) => block(`${gate}: ${proof}`, context)),
    ...plan.skipped.flatMap(({ name, why }) => block(`${name}: ${why}`, context)),
  ]
}

function block(text: string, { width }: Context): readonly string[] {
  return wrapped(printable(text), ' '.repeat(pad), pad, width)
}
