import { parseForgeUrl } from '../domain/forge/index.ts'

/** One thing that a text may name. */
export type Meaning =
  | { readonly kind: 'our-job'; readonly id: number }
  /** Without an installation: of the forge that is served here. */
  | { readonly kind: 'forge-job'; readonly installation: string | null; readonly forgeJobId: number }
  | {
      readonly kind: 'job-url'
      readonly repository: string
      readonly runId: number | null
      readonly forgeJobId: number
    }
  | { readonly kind: 'run-url'; readonly repository: string; readonly runId: number }
  | { readonly kind: 'runner'; readonly name: string }
  | { readonly kind: 'pod'; readonly namespace: string | null; readonly name: string }
  | { readonly kind: 'pod-uid'; readonly uid: string }

const number = /^\d{1,15}$/
const uidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Names of runners, pods and namespaces. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/

/** All that a text may name, the likeliest first; empty where it names nothing that there is. */
export function meaningsOf(text: string): Meaning[] {
  if (/^https?:\/\//i.test(text)) return urlMeanings(text)
  const [, prefix, rest = ''] = /^(job|runner|pod)\/(.+)$/.exec(text) ?? []
  if (prefix !== undefined) return [...prefixed(prefix, rest), ...placed(text)]
  if (number.test(text)) {
    const id = Number(text)
    return [
      { kind: 'our-job', id },
      { kind: 'forge-job', installation: null, forgeJobId: id },
    ]
  }
  const [, installation, digits] = /^([^:\p{Cc}]{1,100}):(\d{1,15})$/u.exec(text) ?? []
  if (installation !== undefined) return [{ kind: 'forge-job', installation, forgeJobId: Number(digits) }]
  if (uidPattern.test(text)) return [{ kind: 'pod-uid', uid: text.toLowerCase() }, ...named(text)]
  return text.includes('/') ? placed(text) : named(text)
}

/** A meaning in words, for who wonders what was looked for. */
export function meaningText(meaning: Meaning): string {
  switch (meaning.kind) {
    case 'our-job':
      return `job ${meaning.id} of this Holdfast`
    case 'forge-job':
      return `job ${meaning.forgeJobId} of ${meaning.installation === null ? 'the forge' : `the forge ${meaning.installation}`}`
    case 'job-url':
      return `job ${meaning.forgeJobId} of ${meaning.repository} at the forge`
    case 'run-url':
      return `the jobs of run ${meaning.runId} of ${meaning.repository}`
    case 'runner':
      return `a runner of the name ${meaning.name}, here or at the forge`
    case 'pod':
      return `a runner in the pod ${meaning.namespace === null ? '' : `${meaning.namespace}/`}${meaning.name}`
    case 'pod-uid':
      return `a runner that ended in the pod with the UID ${meaning.uid}`
  }
}

function urlMeanings(text: string): Meaning[] {
  const path = parseForgeUrl(text)
  if (path === null) return []
  const { repository, runId } = path
  return path.kind === 'run'
    ? [{ kind: 'run-url', repository, runId: path.runId }]
    : [{ kind: 'job-url', repository, runId, forgeJobId: path.forgeJobId }]
}

function prefixed(prefix: string, rest: string): Meaning[] {
  if (prefix === 'job') return number.test(rest) ? [{ kind: 'our-job', id: Number(rest) }] : []
  if (!namePattern.test(rest)) return []
  return prefix === 'runner'
    ? [{ kind: 'runner', name: rest }]
    : [{ kind: 'pod', namespace: null, name: rest }]
}

/** `namespace/pod`. */
function placed(text: string): Meaning[] {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (more.length > 0 || !namePattern.test(namespace) || !namePattern.test(name)) return []
  return [{ kind: 'pod', namespace, name }]
}

/** A runner of ours has the name of its pod. */
function named(text: string): Meaning[] {
  return namePattern.test(text) ? [{ kind: 'runner', name: text }] : []
}
