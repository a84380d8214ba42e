import { durationText } from '../../domain/format.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { Context } from '../context.ts'
import type { ProbeReport } from '../deps.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

const pad = 2

/** The plan for a person who decides, or the answer and how the run ended. `of` is the word after `holdfast probe`. */
export function probeText(report: ProbeReport, of: string, context: Context): string {
  const { run, state } = report
  if (run === null)
    return (state === 'planned' ? plannedLines(report, of, context) : nothingLines(report, context)).join(
      '\n',
    )
  return [...answerLines(report, context), ...endLines(report, context)].join('\n')
}

function plannedLines({ plan, hash, place }: ProbeReport, of: string, context: Context): readonly string[] {
  const goodMs = plan.expiresAt - plan.plannedAt
  const isClean = plan.remedy === 'probe-clean'
  return [
    `Plan ${hash}`,
    `A dry run: nothing was changed. Good for ${durationText(goodMs)}, until ${new Date(plan.expiresAt).toISOString()}.`,
    '',
    isClean ? 'To be removed, one by one:' : 'One pod would be made, asked and removed:',
    ...plan.objects.flatMap((each) => block(`Pod ${keyOf(each)}: ${each.why}`, context)),
    ...(isClean ? [] : givenLines(plan, context)),
    ...leftLines(plan, context),
    '',
    'To apply exactly this, or nothing:',
    `  holdfast probe ${of} --apply ${hash}`,
    `(${place} has its steps)`,
  ]
}

/** The references that the pod gets of the lane. */
function givenLines(plan: Exclude<ProbeReport['plan'], { remedy: 'probe-clean' }>, context: Context) {
  return plan.objects.flatMap(({ env, imagePullSecrets, node }) => [
    ...block(`pull secrets: ${imagePullSecrets.join(', ') || 'none in the template'}`, context),
    ...(node === null ? [] : block(`node: ${node}`, context)),
    ...env.flatMap(({ name, from, ref }) =>
      block(
        `variable ${name}: ${from === 'value' ? 'as the template says' : `by reference to ${from} ${ref ?? ''}`}`,
        context,
      ),
    ),
  ])
}

function nothingLines({ state, plan }: ProbeReport, context: Context): readonly string[] {
  const failed = plan.gates.filter(({ passed }) => !passed)
  return [
    state === 'blocked'
      ? 'Blocked, nothing can be planned:'
      : plan.remedy === 'probe-clean'
        ? 'No probe left a pod whose time is over.'
        : 'Nothing can be planned:',
    ...failed.flatMap(({ gate, proof }) => block(`${gate}: ${proof}`, context)),
    ...leftLines(plan, context),
  ]
}

function leftLines({ skipped }: ProbeReport['plan'], context: Context): readonly string[] {
  return skipped.flatMap((each) => block(`not now: Pod ${keyOf(each)}: ${each.why}`, context))
}

function answerLines({ verdict, plan }: ProbeReport, context: Context): readonly string[] {
  if (verdict === null) return []
  const lane = plan.remedy === 'probe-clean' ? '' : ` from ${keyOf(plan.scope.set)}`
  const sure = verdict.confidence === 'unknown' ? '' : ` (${verdict.confidence})`
  const named = verdict.class !== null && verdict.class !== verdict.outcome ? `, class ${verdict.class}` : ''
  return [
    `${verdict.outcome}${sure}${named}${lane}`,
    ...block(verdict.summary, context),
    ...verdict.evidence.flatMap((line) => block(`- ${line}`, context)),
    ...verdict.mustNotConclude.flatMap((line) => block(`careful: ${line}`, context)),
  ]
}

function endLines({ state, plan, hash, run, head, place, isPodGone }: ProbeReport, context: Context) {
  const failed = run?.gates.filter(({ passed }) => !passed) ?? []
  const isClean = plan.remedy === 'probe-clean'
  return [
    `${titles[state] ?? state} (plan ${hash.slice(0, 12)})`,
    ...(state === 'done' && !isClean ? [] : block(run?.outcome ?? '', context)),
    ...failed.flatMap(({ gate, proof }) => block(`failed ${gate}: ${proof}`, context)),
    ...(isPodGone ? [] : block(leftText, context)),
    `Trail: ${head.count} rows in ${place}, head ${head.count}:${head.hash}`,
  ]
}

const leftText =
  'A pod is left: its deadline ends it, and the next probe there or `holdfast probe clean` removes it.'

const titles: Partial<Record<ProbeReport['state'], string>> = {
  done: 'Done, and no pod is left',
  blocked: 'Blocked, nothing was done',
  aborted: 'Aborted, nothing was made',
  escalated: 'Escalated, a person must look',
}

function block(text: string, { width }: Context): readonly string[] {
  return wrapped(printable(text), ' '.repeat(pad), pad, width)
}
