import { parseQuantity } from '../../../quantity.ts'
import { podspecType, valueRefused } from '../classes.ts'
import { entryOf, type TomlEntry, type TomlTable, tableIn, tablesIn } from '../document.ts'
import { executors } from '../keys/file.ts'
import { overwriteKey, resourceKeys } from '../keys/resources.ts'
import type { Problem } from '../problem.ts'
import type { TomlRunner } from '../runners.ts'

const pullPolicies = ['always', 'if-not-present', 'never']
const patchTypes = ['json', 'merge', 'strategic']
const patchFlag = 'FF_USE_ADVANCED_POD_SPEC_CONFIGURATION'

/** Values that have the right type, and that GitLab Runner refuses or drops when a job comes. */
export function valueProblems({ table, kubernetes }: TomlRunner): readonly Problem[] {
  return [
    ...executorProblems(table),
    ...environmentProblems(table, 'runners'),
    ...(kubernetes === null
      ? []
      : [
          ...quantityProblems(kubernetes),
          ...pullPolicyProblems(kubernetes),
          ...patchProblems(kubernetes, table),
          ...tablesIn(kubernetes, 'services').flatMap((service) =>
            environmentProblems(service, 'runners.kubernetes.services'),
          ),
        ]),
  ]
}

function executorProblems(table: TomlTable): readonly Problem[] {
  const entry = entryOf(table, 'executor')
  if (entry?.value.kind !== 'string' || (executors as readonly unknown[]).includes(entry.value.value))
    return []
  return [
    refused(entry, 'runners.executor', {
      severity: 'critical',
      summary: `GitLab Runner knows no executor "${entry.value.value}": it marks the runner unhealthy, and no job starts.`,
      fix: `Write one of ${executors.slice(0, 7).join(', ')}.`,
    }),
  ]
}

/** Entries are not quoted: one without a name may be a secret. */
function environmentProblems(table: TomlTable, at: string): readonly Problem[] {
  const entry = entryOf(table, 'environment')
  if (entry?.value.kind !== 'array') return []
  return entry.value.items.flatMap((item, index) =>
    item.kind !== 'string' || /^[^=]+=/.test(String(item.value))
      ? []
      : [
          refused({ ...entry, line: item.line }, `${at}.environment`, {
            severity: 'warning',
            summary: `Entry ${index + 1} of environment is not NAME=value: jobs do not get it.`,
            fix: 'Write environment = ["NAME=value"].',
          }),
        ],
  )
}

function quantityProblems(kubernetes: TomlTable): readonly Problem[] {
  return resourceKeys
    .flatMap((each) => [each.key, overwriteKey(each)])
    .flatMap((key) => {
      const entry = entryOf(kubernetes, key)
      if (entry?.value.kind !== 'string' || entry.value.value === '') return []
      const amount = parseQuantity(entry.value.value)
      if (amount !== null && amount >= 0) return []
      return [
        refused(entry, `runners.kubernetes.${key}`, {
          severity: 'critical',
          summary: `${key} is "${entry.value.value}", which is no quantity: every job fails with "invalid build limits specified" or alike.`,
          fix: 'Write a quantity of Kubernetes: "500m", "2", "1Gi".',
        }),
      ]
    })
}

function pullPolicyProblems(kubernetes: TomlTable): readonly Problem[] {
  return ['pull_policy', 'allowed_pull_policies'].flatMap((key) => {
    const entry = entryOf(kubernetes, key)
    if (entry === null) return []
    const items = entry.value.kind === 'array' ? entry.value.items : [entry.value]
    return items.flatMap((item) =>
      item.kind !== 'string' || item.value === '' || pullPolicies.includes(String(item.value))
        ? []
        : [
            refused({ ...entry, line: item.line }, `runners.kubernetes.${key}`, {
              severity: 'critical',
              summary: `GitLab Runner knows no pull policy "${item.value}": every job fails with "unsupported pull policy".`,
              fix: `Write one of ${pullPolicies.join(', ')}.`,
            }),
          ],
    )
  })
}

/** Patches of an unknown type, and patches that no job applies because their feature flag is off. */
function patchProblems(kubernetes: TomlTable, runner: TomlTable): readonly Problem[] {
  const patches = tablesIn(kubernetes, 'pod_spec')
  const [first] = patches
  if (first === undefined) return []
  const wrong = patches.flatMap((patch) => {
    const entry = entryOf(patch, 'patch_type')
    if (entry?.value.kind !== 'string' || entry.value.value === '') return []
    if (patchTypes.includes(String(entry.value.value))) return []
    return [
      refused(entry, 'runners.kubernetes.pod_spec.patch_type', {
        severity: 'warning',
        summary: `GitLab Runner knows no patch type "${entry.value.value}".`,
        fix: `Write one of ${patchTypes.join(', ')}.`,
      }),
    ]
  })
  if (isFlagOn(runner)) return wrong
  const off: Problem = {
    class: podspecType,
    severity: 'warning',
    line: first.line,
    path: 'runners.kubernetes.pod_spec',
    // A pipeline's variable may turn it on for its own jobs.
    confidence: 'likely',
    summary: `pod_spec is passed over without a word: the feature flag ${patchFlag} is not on here.`,
    fix: `Write ${patchFlag} = true in [runners.feature_flags].`,
  }
  return [...wrong, off]
}

function isFlagOn(runner: TomlTable): boolean {
  const flags = tableIn(runner, 'feature_flags')
  const flag = flags === null ? undefined : entryOf(flags, patchFlag)?.value
  if (flag?.kind === 'boolean') return flag.value === true
  const environment = entryOf(runner, 'environment')?.value
  const items = environment?.kind === 'array' ? environment.items : []
  return items.some((item) => item.kind === 'string' && isFlagText(String(item.value)))
}

function isFlagText(text: string): boolean {
  return text === `${patchFlag}=true` || text === `${patchFlag}=1`
}

function refused(
  { line }: Pick<TomlEntry, 'line'>,
  path: string,
  words: Pick<Problem, 'severity' | 'summary' | 'fix'>,
): Problem {
  return { class: valueRefused, line, path, ...words }
}
