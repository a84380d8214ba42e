import { counted, durationText } from '../../domain/format.ts'
import { applyCommand, type ClusterPlan } from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { Context } from '../context.ts'
import type { RemedyReport } from '../deps.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

const pad = 2

interface Words {
  /** As it is typed after `holdfast`. */
  readonly command: string
  readonly noun: string
  readonly toDo: string
  readonly did: string
  readonly nothing: string
}

const removal = { noun: 'runner', toDo: 'would go, one by one', did: 'removed' }

const words: Readonly<Record<ClusterPlan['remedy'], Words>> = {
  reap: { ...removal, command: 'reap', nothing: 'Nothing to reap.' },
  'failed-runners': { ...removal, command: 'fix failed-runners', nothing: 'No failed runner holds a slot.' },
  'listener-blocker': {
    ...removal,
    command: 'fix listener-blocker',
    nothing: 'No idle runner keeps a listener away.',
  },
  'pull-secrets': {
    command: 'fix pull-secrets',
    noun: 'object',
    toDo: 'would be written or made again, one by one',
    did: 'treated',
    nothing: 'No listener has another pull secret than its runners.',
  },
  'secret-drift': {
    command: 'fix secret-drift',
    noun: 'object',
    toDo: 'would be written, one by one',
    did: 'written',
    nothing: 'No copy of a credential can be written.',
  },
  credentials: {
    command: 'fix credentials',
    noun: 'object',
    toDo: 'would be written',
    did: 'written',
    nothing: 'Proven, and nothing to do:',
  },
  'gitlab-orphans': {
    ...removal,
    noun: 'pod',
    command: 'fix gitlab-orphans',
    nothing: 'No job pod has lost its manager.',
  },
  'gitlab-token': {
    command: 'fix gitlab-token',
    noun: 'manager',
    toDo: 'would be restarted',
    did: 'restarted',
    nothing: 'No manager has a token of before that a restart would replace.',
  },
  handoff: {
    ...removal,
    command: 'fix handoff',
    nothing: 'No runner keeps a lane of one from its next job.',
  },
  outdated: {
    command: 'fix outdated',
    noun: 'set',
    toDo: 'would be made again by ARC',
    did: 'made again',
    nothing: 'No set is in the phase Outdated.',
  },
  'stuck-finalizers': {
    command: 'fix stuck-finalizers',
    noun: 'runner',
    toDo: 'would be shown to ARC again, one by one',
    did: 'gone',
    nothing: 'No runner hangs in a finalizer that a credential holds.',
  },
  'retry-proof': {
    command: 'fix retry-proof',
    noun: 'job',
    toDo: 'would be run again, once',
    did: 'run again',
    nothing: 'The job is not run again.',
  },
}

/** The plan for a person who decides, or how its run ended. */
export function remedyText(report: RemedyReport, context: Context): string {
  const { state, plan, hash, run, head, place } = report
  if (run === null) {
    const lines = state === 'planned' ? plannedLines(report, context) : nothingLines(report, context)
    return lines.join('\n')
  }
  const { noun, did } = words[plan.remedy]
  const failed = run.gates.filter(({ passed }) => !passed)
  return [
    `${title[state] ?? state}: ${counted(run.treated.length, noun)} of ${plan.objects.length} ${did} (plan ${hash.slice(0, 12)})`,
    ...run.treated.map((name) => `  ${did}  ${printable(name)}`),
    ...block(run.outcome, context),
    ...failed.flatMap(({ gate, proof }) => block(`failed ${gate}: ${proof}`, context)),
    ...(state === 'done' ? nextLines(plan) : []),
    `Trail: ${head.count} rows in ${place}, head ${head.count}:${head.hash}`,
  ].join('\n')
}

const title: Partial<Record<RemedyReport['state'], string>> = {
  done: 'Done and proven',
  blocked: 'Blocked, nothing was done',
  aborted: 'Aborted, the fleet is not the plan’s any more',
  escalated: 'Escalated, a person must look',
}

function plannedLines({ plan, hash, place }: RemedyReport, context: Context): readonly string[] {
  const { command, noun, toDo } = words[plan.remedy]
  const goodMs = plan.expiresAt - plan.plannedAt
  return [
    `Plan ${hash}`,
    `A dry run: nothing was changed. Good for ${durationText(goodMs)}, until ${new Date(plan.expiresAt).toISOString()}.`,
    '',
    `${counted(plan.objects.length, noun)} ${toDo}:`,
    ...plan.objects.flatMap((each) => block(`${labelOf(each)}: ${each.why}`, context)),
    ...leftLines(plan, context),
    '',
    'To apply exactly this, or nothing:',
    `  holdfast ${command} --apply ${hash}${plan.remedy === 'gitlab-orphans' && plan.scope.gitlab !== null ? ` --gitlab-url ${plan.scope.gitlab}` : ''}`,
    `(${place} has its steps)`,
    ...nextLines(plan),
  ]
}

/** A credential in both namespaces is used by nobody yet: the set's source names it, and then it is proven. */
function nextLines(plan: ClusterPlan): readonly string[] {
  const [object] = plan.objects
  if (plan.remedy !== 'credentials' || object === undefined) return []
  const { scaleSet, appSecret } = plan.scope
  const isNamed = plan.gates.some(({ gate, passed }) => gate === 'set-names-app' && passed)
  const name = appSecret ?? object.name
  return [
    'After it:',
    ...(isNamed ? [] : [`  ${printable(applyCommand(scaleSet, name))}`]),
    `  ${printable(`holdfast fix credentials --scale-set ${keyOf(scaleSet)} --app-secret ${name}`)}`,
  ]
}

/** A runner by its name, which says what it is; any other object by its kind as well. */
function labelOf(each: ClusterPlan['objects'][number]): string {
  if ('arm' in each) return `${keyOf(each)} ${each.arm}`
  return each.kind === 'EphemeralRunner' ? keyOf(each) : `${each.kind} ${keyOf(each)}`
}

function nothingLines({ state, plan }: RemedyReport, context: Context): readonly string[] {
  const failed = plan.gates.filter(({ passed }) => !passed)
  const first = state === 'blocked' ? 'Blocked, nothing can be planned:' : words[plan.remedy].nothing
  // The one that has an end worth proving.
  const proofs = plan.remedy === 'credentials' && state !== 'blocked' ? plan.gates : failed
  return [
    first,
    ...proofs.flatMap(({ gate, proof }) => block(`${gate}: ${proof}`, context)),
    ...leftLines(plan, context),
  ]
}

function leftLines(plan: ClusterPlan, context: Context): readonly string[] {
  const { skipped, remedy } = plan
  if (skipped.length === 0) return []
  return [
    `${counted(skipped.length, words[remedy].noun)} left alone:`,
    ...skipped.flatMap((each) => block(`${keyOf(each)}: ${each.why}`, context)),
  ]
}

function block(text: string, { width }: Context): readonly string[] {
  return wrapped(printable(text), ' '.repeat(pad), pad, width)
}
