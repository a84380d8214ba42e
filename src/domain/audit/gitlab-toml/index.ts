import type { Audit, AuditInput } from '../audit.ts'
import type { Judgement, Unjudged } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { jobLimitDrift, limitRangeConflict, tomlClasses, tomlUnreadable } from './classes.ts'
import type { GitlabConfig, TomlTable } from './document.ts'
import { findingAt, type Problem } from './problem.ts'
import { requestsAboveLimits } from './rules/amounts.ts'
import { concurrencyProblems, startProblems } from './rules/concurrency.ts'
import { hazards } from './rules/hazards.ts'
import { limitRangeConflicts } from './rules/limit-range.ts'
import { driftedAmounts, liveInstead, livePods } from './rules/live.ts'
import { shapeProblems } from './rules/shapes.ts'
import { valueProblems } from './rules/values.ts'
import { runnersIn } from './runners.ts'
import { amountTable } from './table.ts'

/** GitLab Runner's config.toml: by itself, and against the pods and LimitRanges of the cluster. */
export const gitlabToml: Audit = {
  name: 'gitlab-toml',
  title: "GitLab Runner's config.toml",
  classes: tomlClasses,
  needs: 'gitlab-config',
  judge(input) {
    const config = input.gitlabConfig ?? null
    if (config === null) return { findings: [], unjudged: withoutFile(), tables: [] }
    if (config.root === null) return unreadable(config)
    const { limitRanges, pods } = input.snapshot.cluster
    return {
      findings: problemsOf(config, config.root, input).map((problem) => findingAt(config, problem)),
      unjudged: [...unjudgedBy([limitRangeConflict], limitRanges), ...unjudgedBy([jobLimitDrift], pods)],
      tables: [amountTable(input)],
    }
  },
}

function withoutFile(): readonly Unjudged[] {
  return tomlClasses.map(({ name }) => ({
    class: name,
    why: 'no config.toml was given',
    needs: '--file config.toml',
  }))
}

/** GitLab Runner refuses the whole file: nothing else of it can be judged. */
function unreadable(config: GitlabConfig): Judgement {
  const { line, what } = config.mistake ?? { line: 1, what: 'it cannot be read' }
  const problem: Problem = {
    class: tomlUnreadable,
    severity: 'critical',
    line,
    path: what,
    summary: `Line ${line} is no TOML (${what}): GitLab Runner refuses the whole file.`,
    fix: 'Correct this line.',
  }
  const others = tomlClasses.filter((each) => each !== tomlUnreadable)
  return {
    findings: [findingAt(config, problem)],
    unjudged: others.map(({ name }) => ({ class: name, why: 'the file is no TOML', needs: null })),
    tables: [],
  }
}

function problemsOf(config: GitlabConfig, root: TomlTable, input: AuditInput): readonly Problem[] {
  const runners = runnersIn(config)
  const live = livePods(input)
  return [
    ...shapeProblems(root).map((problem) => ({
      ...problem,
      evidence: liveInstead(problem, runners, live, input),
    })),
    ...concurrencyProblems(root, runners),
    ...runners.flatMap((runner) => [
      ...valueProblems(runner),
      ...requestsAboveLimits(runner),
      ...startProblems(runner),
      ...hazards(runner),
      ...limitRangeConflicts(runner, input),
      ...driftedAmounts(runner, live, input),
    ]),
  ]
}
