import type { ContainerStateFact } from '../../snapshot/index.ts'
import { answerOf, failureOf, type ScriptAnswer } from './answer.ts'
import type { ProbeFacts } from './facts.ts'
import type { ProbeVerdict } from './verdict.ts'

const variables = ['SSL_CERT_FILE', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const
const careful = [
  'A program of the image answered: it shows what a job sees there, and is no proof.',
  'A build in a Nix sandbox sees no file of the image that its derivation does not name.',
  'Neither placement nor a credential is why a certificate is not trusted.',
]

type Planned = Pick<ProbeFacts['plan']['objects'][number], 'registry'>
type Judged = Pick<ProbeVerdict, 'outcome' | 'summary'> & Partial<ProbeVerdict>

/** The three variables, whether their files are there, and whether the image trusts the registry's certificates. */
export function judgeNpmTls(state: ContainerStateFact, { registry }: Planned): ProbeVerdict {
  const answer = answerOf(state)
  const judged = answer.value(variables[0]) === null ? null : judge(answer, registry ?? 'the registry')
  const isSure = judged !== null && judged.outcome !== 'unknown'
  return {
    isGood: false,
    class: isSure && judged.isGood !== true ? judged.outcome : null,
    confidence: isSure ? 'likely' : 'unknown',
    evidence: answer.lines,
    mustNotConclude: careful,
    ...(judged ?? { outcome: 'unknown', summary: failureOf(state) }),
  }
}

function judge(answer: ScriptAnswer, registry: string): Judged {
  const files = variables.map((name) => ({ name, state: answer.value(name) ?? 'unset' }))
  const bad = files.filter(({ state }) => ['missing', 'empty', 'unreadable'].includes(state))
  if (bad.length > 0)
    return {
      outcome: 'build-ca-missing',
      summary: `${bad.map(({ name, state }) => `the file of ${name} is ${state}`).join(', ')} in the image.`,
    }
  const elsewhere = files.find(({ state }) => state === 'not-mounted')
  if (elsewhere !== undefined)
    return {
      outcome: 'unknown',
      summary: `The file of ${elsewhere.name} is on a volume of the lane that the probe does not mount.`,
    }
  const [tool, trust] = [answer.value('tool'), answer.value('trust')]
  if (tool === 'none')
    return {
      outcome: 'unknown',
      summary: 'The image has neither node, openssl nor curl: no certificate was looked at.',
    }
  if (trust === 'yes')
    return {
      outcome: 'trusted',
      isGood: true,
      summary: `${tool} of the image trusts the certificates of ${registry}.`,
    }
  const why = /^no (.+)$/.exec(trust ?? '')?.[1]
  if (why === undefined)
    return {
      outcome: 'unknown',
      summary: `${tool} of the image got no certificate of ${registry} (${trust ?? 'no word'}).`,
    }
  const isSet = files.some(({ state }) => state === 'present')
  return {
    outcome: isSet ? 'runtime-trust-store-broken' : 'build-ca-missing',
    summary: `${tool} of the image does not trust ${registry} (${why}); ${isSet ? 'the variables are set, and their files are there' : 'none of the three variables is set'}.`,
  }
}
