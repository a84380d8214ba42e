import { readFileSync } from 'node:fs'
import { runnerPoolDefinition, runnerPoolSpec } from '../../src/api/index.ts'
import { startProblemKinds } from '../../src/domain/pool/index.ts'
import { fieldTable } from './fields.ts'
import { page, table } from './markdown.ts'

const exampleFile = new URL('../../deploy/examples/runnerpool.yaml', import.meta.url)

/** docs/reference/runnerpool.md */
export function runnerPoolPage(): string {
  return page(
    'RunnerPool',
    intro,
    `## spec\n\n${fieldTable(runnerPoolSpec.shape)}`,
    windows,
    `## Rules\n\n${rulesIntro}\n\n${table(['at', 'expected'], ruleRows())}`,
    `## status\n\n${statusText}`,
    `## Example\n\n\`\`\`yaml\n${readFileSync(exampleFile, 'utf8')}\`\`\``,
  )
}

const intro = `A pool of runners in Kubernetes: \`holdfast.dev/v1alpha1\`, kind \`RunnerPool\`, in short \`rp\`. Holdfast keeps its
runners as pods in the namespace of the object. Install \`deploy/crds\` first; \`kubectl explain rp.spec\` says the same as
this page. \`image\` is required. Names have at most 40 lower-case letters, digits and inner hyphens, because names of
runners begin with them.

A pool that is deleted stays until its last runner is gone: idle ones leave at once, busy ones finish. The same fields
can stand in the file of \`holdfast up\` ([configuration](config.md#a-pool)).`

const windows = `## Warm windows

A window opens at each time that \`cron\` names on the clocks of \`zone\`, and stays open for \`durationMinutes\`. The five
fields take values, lists (\`1,15\`), ranges (\`9-17\`), steps (\`*/10\`) and English names (\`mon-fri\`, \`jan\`). Where both the
day of the month and the day of the week are named, either is enough. The pool keeps as many runners ready as the
greatest of its own \`minWarm\` and that of every open window. A time that is skipped when clocks are put forward counts
as the first time after the gap; a time that comes twice opens the window twice.`

const rulesIntro = `Rules besides types and bounds. The API server refuses a pool that breaks one of them, with the expected value; a
problem that it cannot see itself (a range of hours that goes down, an order such as \`$patch\` in a template, what a template may not change of
our containers) makes the pool not ready, with the same words in its condition.`

const statusText = `Holdfast writes it and puts it right where somebody else wrote: \`queued\`, \`idle\`, \`busy\`, \`starting\`, \`leaving\`,
\`desired\`, \`observedGeneration\`, and the conditions \`Ready\`, \`Progressing\` and \`Degraded\`, each with a reason in one
word and a message that says what to do. Reasons why runners do not get going: ${startProblemKinds.map((kind) => `\`${kind}\``).join(', ')}.
\`StrayRunner\` says that a runner which nobody counts on has not gone for an hour; only a person can see whether it hangs.
Changes are also published as Kubernetes Events on the pool and on its pods.`

interface Rules {
  readonly [field: string]: unknown
  readonly properties?: Readonly<Record<string, Rules>>
  readonly items?: Rules
  readonly additionalProperties?: Rules
  readonly 'x-kubernetes-validations'?: readonly { readonly message: string; readonly fieldPath?: string }[]
}

function ruleRows(): string[][] {
  const { spec } = runnerPoolDefinition() as { spec: { versions: { schema: { openAPIV3Schema: Rules } }[] } }
  const schema = spec.versions[0]?.schema.openAPIV3Schema.properties?.spec
  return schema === undefined ? [] : rowsUnder(schema, 'spec')
}

function rowsUnder(schema: Rules, path: string): string[][] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message, fieldPath = '' }) => [
    `\`${path}${fieldPath}\``,
    message.replace(/^expected /, ''),
  ])
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    rowsUnder(inner, `${path}.${key}`),
  )
  const items = schema.items ? rowsUnder(schema.items, `${path}[]`) : []
  const values = schema.additionalProperties ? rowsUnder(schema.additionalProperties, `${path}.*`) : []
  return [...own, ...members, ...items, ...values]
}
