import { z } from 'zod'
import { isRecord } from '../../domain/is-record.ts'
import { type Rule, ruled } from './rule.ts'

const containersMax = 20
const nameCharsMax = 63
const templateCharsMax = 64 * 1024

type Json = Readonly<Record<string, unknown>>

const ourMetadata = ['name', 'generateName', 'namespace', 'finalizers', 'ownerReferences'] as const
/** Fields that a template may not set, because the pod could not run a runner with them. */
const rules: readonly Rule<Json>[] = [
  {
    expected:
      'no metadata.name, generateName, namespace, finalizers or ownerReferences: Holdfast writes these',
    cel: `!has(self.metadata) || !(${ourMetadata.map((field) => `has(self.metadata.${field})`).join(' || ')})`,
    holds: (template) => ourMetadata.every((field) => mapAt(template, 'metadata')[field] === undefined),
  },
  {
    expected: 'spec.restartPolicy: Never, or nothing: a runner takes one job and ends',
    cel: "!has(self.spec) || !has(self.spec.restartPolicy) || self.spec.restartPolicy == 'Never'",
    holds: (template) => ['Never', undefined].includes(specOf(template).restartPolicy as string | undefined),
  },
  {
    expected:
      'no spec.automountServiceAccountToken: true, because a job could read the token; mount a token for one container of yours',
    cel: '!has(self.spec) || !has(self.spec.automountServiceAccountToken) || !self.spec.automountServiceAccountToken',
    holds: (template) => specOf(template).automountServiceAccountToken !== true,
  },
  {
    expected:
      'only the container runner in spec.containers; a helper belongs into spec.initContainers, with restartPolicy: Always',
    cel: `${listed('containers')} || self.spec.containers.all(c, c.name == 'runner')`,
    holds: (template) => listOf(template, 'containers').every(({ name }) => name === 'runner'),
  },
  {
    expected: 'the container runner in spec.containers, not in spec.initContainers',
    cel: `${listed('initContainers')} || !self.spec.initContainers.exists(c, c.name == 'runner')`,
    holds: (template) => listOf(template, 'initContainers').every(({ name }) => name !== 'runner'),
  },
  {
    expected:
      'no image, command or args of the container runner; write image and command next to the template',
    cel: `${listed('containers')} || !self.spec.containers.exists(c, ${saysProgram('runner')})`,
    holds: (template) => !listOf(template, 'containers').some(isProgramOf('runner')),
  },
  {
    expected:
      'no container check in spec.initContainers: Holdfast makes one of that name; give yours another',
    cel: `${listed('initContainers')} || !self.spec.initContainers.exists(c, c.name == 'check')`,
    holds: (template) => !hasPreparation(template, 'check'),
  },
  {
    expected: 'no image, command or args of the container poller: Holdfast writes these',
    cel: `${listed('initContainers')} || !self.spec.initContainers.exists(c, ${saysProgram('poller')})`,
    holds: (template) => !listOf(template, 'initContainers').some(isProgramOf('poller')),
  },
  {
    expected: 'containers of different names',
    cel: (['initContainers', 'containers'] as const)
      .map(
        (list) =>
          `(${listed(list)} || self.spec.${list}.all(a, self.spec.${list}.exists_one(b, a.name == b.name)))`,
      )
      .join(' && '),
    holds: (template) =>
      (['initContainers', 'containers'] as const).every((list) => {
        const names = listOf(template, list).map(({ name }) => name)
        return new Set(names).size === names.length
      }),
  },
  {
    // Only here: kubectl takes a property of this name in a definition for an order to itself.
    expected: 'no $patch: a template adds to the containers of a runner and takes none away',
    holds: (template) =>
      [template, specOf(template), ...allContainers(template)].every((part) => part.$patch === undefined),
  },
  {
    expected: 'a name for each container, by which it is merged',
    holds: (template) =>
      allContainers(template).every(({ name }) => typeof name === 'string' && name.length > 0),
  },
]

/** A PodTemplateSpec; what else of it the cluster does not take, it says when a pod is made. */
export const templateSchema = ruled(
  z
    .record(z.string(), z.unknown())
    .refine(
      (template) => JSON.stringify(template).length <= templateCharsMax,
      `at most ${templateCharsMax / 1024} KiB`,
    ),
  rules,
  { schema: clusterSchema() },
)

/** As much of a PodTemplateSpec as rules speak of; the rest is kept as it is written. */
function clusterSchema(): Json {
  const open = (properties: Json) => ({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties,
  })
  const texts = { type: 'array', items: { type: 'string' } }
  const container = {
    ...open({
      name: { type: 'string', minLength: 1, maxLength: nameCharsMax },
      image: { type: 'string' },
      command: texts,
      args: texts,
    }),
    required: ['name'],
  }
  const containers = { type: 'array', maxItems: containersMax, items: container }
  return {
    ...open({
      metadata: open({
        ...Object.fromEntries(
          ['name', 'generateName', 'namespace'].map((field) => [field, { type: 'string' }]),
        ),
        finalizers: texts,
        ownerReferences: { type: 'array', items: open({}) },
      }),
      spec: open({
        restartPolicy: { type: 'string' },
        automountServiceAccountToken: { type: 'boolean' },
        initContainers: containers,
        containers,
      }),
    }),
  }
}

function listed(list: string): string {
  return `!has(self.spec) || !has(self.spec.${list})`
}

function saysProgram(name: string): string {
  return `c.name == '${name}' && (has(c.image) || has(c.command) || has(c.args))`
}

function isProgramOf(reserved: string): (container: Json) => boolean {
  return ({ name, image, command, args }) => name === reserved && (image ?? command ?? args) !== undefined
}

/** Whether the template says anything of an init container of this name. */
export function hasPreparation(template: Json, named: string): boolean {
  return listOf(template, 'initContainers').some(({ name }) => name === named)
}

function specOf(template: Json): Json {
  return mapAt(template, 'spec')
}

function allContainers(template: Json): readonly Json[] {
  return [...listOf(template, 'initContainers'), ...listOf(template, 'containers')]
}

function listOf(template: Json, list: 'containers' | 'initContainers'): readonly Json[] {
  const found = specOf(template)[list]
  return Array.isArray(found) ? found.filter(isRecord) : []
}

function mapAt(value: Json, key: string): Json {
  const found = value[key]
  return isRecord(found) ? found : {}
}
