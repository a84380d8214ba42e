import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import type { z } from 'zod'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import { kubeconfigEntries, kubeconfigFile } from './kubeconfig-schema.ts'

export interface KubeconfigOptions {
  /** Read in turn; of two entries of one name the first holds. */
  readonly files: readonly string[]
  /** Unset: the current one of the first file that names one. */
  readonly context?: string | undefined
}

type Section = 'clusters' | 'users' | 'contexts'
type Kind = keyof typeof kubeconfigEntries

interface Found<K extends Kind> {
  readonly name: string
  readonly settings: z.infer<(typeof kubeconfigEntries)[K]>
  /** Paths in an entry are relative to the folder of its file. */
  readonly resolve: (path: string) => string
}

export interface Chosen {
  readonly contextName: string
  readonly context: Found<'context'>
  readonly cluster: Found<'cluster'>
  readonly user: Found<'user'>
}

/** The context that holds, with its cluster and its user, out of one or more kubeconfig files. */
export async function readKubeconfig({ files, context }: KubeconfigOptions): Promise<Chosen> {
  const where = files.join(', ')
  const parsed = await Promise.all(files.map(parseFile))
  const contextName = context ?? parsed.map(({ content }) => content['current-context']).find(Boolean)
  if (!contextName) {
    throw unusable(where, `expected a current-context, got none; there are: ${namesIn('contexts')}`)
  }
  function namesIn(section: Section): string {
    return parsed.flatMap(({ content }) => content[section].map(({ name }) => name)).join(', ') || 'none'
  }
  function find<K extends Kind>(kind: K, name: string): Found<K> {
    const section = `${kind}s` as Section
    for (const { file, content } of parsed) {
      const entry = content[section].find((each) => each.name === name)
      if (entry === undefined) continue
      const place = `${file}, ${kind} "${name}"`
      const settings = check(kubeconfigEntries[kind], entry[kind] ?? {}, place) as Found<K>['settings']
      return { name, settings, resolve: (path) => resolve(dirname(file), path) }
    }
    throw unusable(where, `expected a ${kind} named "${name}"; there are: ${namesIn(section)}`)
  }
  const found = find('context', contextName)
  const { settings } = found
  return {
    contextName,
    context: found,
    cluster: find('cluster', settings.cluster),
    user: find('user', settings.user),
  }
}

async function parseFile(file: string) {
  try {
    const content = parse(await readFile(file, 'utf8')) ?? {}
    return { file, content: check(kubeconfigFile, content, file) }
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    // Neither its other lines nor the error itself: they show what stands in the file, such as a token.
    const [problem = ''] = reasonOf(error).split('\n')
    throw unusable(file, problem.replace(/:$/, ''))
  }
}

function check<S extends z.ZodType>(schema: S, value: unknown, where: string): z.infer<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'it'} ${message}`)
  throw unusable(where, problems.join('; '))
}

/** The one error for a configuration that leads nowhere. */
export function unusable(where: string, problem: string, cause?: unknown): HoldfastError {
  return new HoldfastError('E_CLUSTER_CONFIG', { where, problem }, cause)
}
