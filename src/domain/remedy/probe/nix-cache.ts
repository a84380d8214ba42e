import type { ContainerStateFact } from '../../snapshot/index.ts'
import { answerOf, failureOf } from './answer.ts'
import type { ProbeFacts } from './facts.ts'
import type { ProbeVerdict } from './verdict.ts'

const stillBuilds = 'Jobs that pass prove nothing: without the cache everything is built or fetched again.'
const programOfImage = 'A program of the image answered: it shows what a job sees there, and is no proof.'

type Planned = Pick<ProbeFacts['plan']['objects'][number], 'env'>
type Judged = Pick<ProbeVerdict, 'outcome' | 'summary'> & Partial<ProbeVerdict>

/** The Nix cache as the lane's own image sees it: the server, then the cache of that name. */
export function judgeNixCache(state: ContainerStateFact, planned: Planned): ProbeVerdict {
  const answer = answerOf(state)
  const given = planned.env.map(
    ({ name, from, ref }) => `${name} from ${ref === null ? from : `${from} ${ref}`}`,
  )
  const judged = judge(answer.value('server'), answer.value('cache'), answer.value('cache-info'))
  const isSure = judged !== null && judged.outcome !== 'unknown'
  return {
    isGood: false,
    class: isSure && judged.isGood !== true ? judged.outcome : null,
    confidence: isSure ? 'likely' : 'unknown',
    evidence: [...answer.lines, ...(given.length === 0 ? [] : [`given: ${given.join(', ')}`])],
    mustNotConclude: [programOfImage, stillBuilds],
    ...(judged ?? { outcome: 'unknown', summary: failureOf(state) }),
  }
}

function judge(server: string | null, cache: string | null, info: string | null): Judged | null {
  if (server === null) return null
  if (server === 'unset')
    return { outcome: 'server-unset', summary: 'ATTIC_SERVER is not set in the environment of the lane.' }
  if (server === 'no-tool')
    return { outcome: 'unknown', summary: 'The image has neither curl nor wget: nothing could ask.' }
  if (server === 'fail:resolve')
    return {
      outcome: 'stale-endpoint',
      summary: 'The name of the server resolves to nothing from this lane.',
    }
  if (server === 'fail:connect' || server === 'fail:timeout')
    return {
      outcome: 'service-unreachable',
      summary: `Nothing answers at the server's address (${server.slice(5)}).`,
    }
  if (!server.startsWith('status:'))
    return { outcome: 'unknown', summary: `The server was not asked to the end (${server}).` }
  if (/^status:5/.test(server))
    return {
      outcome: 'service-unreachable',
      summary: `The server answers with an error (${server.slice(7)}).`,
    }
  return judgeCache(cache, info)
}

/** The server answers: has it the cache of that name? */
function judgeCache(cache: string | null, info: string | null): Judged {
  if (cache === 'unset' || cache === null)
    return {
      outcome: 'unknown',
      summary: 'The server answers; ATTIC_CACHE is not set, so no cache was asked for.',
    }
  if (cache === 'status:200' && info === 'yes')
    return {
      outcome: 'reachable',
      isGood: true,
      summary: 'The server answers, and has the cache of that name.',
    }
  if (cache === 'status:200')
    return { outcome: 'stale-endpoint', summary: 'Something answers at the address, and it is no Nix cache.' }
  if (cache === 'status:404')
    return {
      outcome: 'cache-name-mismatch',
      summary: 'The server answers, and has no cache of that name to show.',
    }
  if (cache === 'status:401' || cache === 'status:403')
    return {
      outcome: 'unknown',
      summary: 'The server answers, and shows the cache to nobody without a credential; the probe has none.',
    }
  return { outcome: 'unknown', summary: `The server answers; about the cache it says ${cache}.` }
}
