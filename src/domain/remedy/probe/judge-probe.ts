import type { PodFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { ProbeFacts } from './facts.ts'
import { judgeImagePull, judgePull } from './image-pull.ts'
import { probeMarks } from './marks.ts'
import { judgeNixCache } from './nix-cache.ts'
import { judgeNpmTls } from './npm-tls.ts'
import type { ProbeVerdict } from './verdict.ts'

type Planned = ProbeFacts['plan']['objects'][number]

/** The kubelet stops the pod at its deadline; what it says of that takes a moment. */
const lateMs = 15_000

/** The answer of a pod as it is now; null: it may still come. */
export function judgeProbe(planned: Planned, pod: PodFact | null, now: Instant): ProbeVerdict | null {
  if (pod === null || probeMarks(pod)?.id !== planned.probeId || pod.deletedAt !== null)
    return unknown('Its pod was removed before it answered.')
  const kind = planned.asks
  const state = pod.statuses[0]?.state ?? null
  const pull = judgePull(pod)
  if (kind === 'image-pull' || pull !== null) {
    const verdict = kind === 'image-pull' ? judgeImagePull(pod) : pull
    if (verdict !== null) return verdict
  } else if (state?.kind === 'terminated' && state.reason !== 'DeadlineExceeded') {
    return kind === 'nix-cache' ? judgeNixCache(state, planned) : judgeNpmTls(state, planned)
  } else if (state?.reason === 'CreateContainerConfigError') return unconfigured(state.message ?? '')
  const isOver = pod.reason === 'DeadlineExceeded'
  const until = (pod.createdAt ?? now) + planned.deadlineSeconds * 1_000 + lateMs
  return isOver || now >= until ? unknown(waitText(pod, planned.deadlineSeconds)) : null
}

/** A variable refers to something that is not there: no runner of the lane could start either. */
function unconfigured(message: string): ProbeVerdict {
  const isSecret = /secret .*not found|couldn't find key/i.test(message)
  return {
    ...unknown(`The kubelet cannot make the container: ${message}`),
    ...(isSecret && { outcome: 'secret-missing', class: 'secret-missing', confidence: 'proven' }),
    evidence: [message],
  }
}

function waitText(pod: PodFact, deadlineSeconds: number): string {
  const unplaced = pod.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  if (unplaced !== undefined)
    return `No node took its pod within ${deadlineSeconds} s: ${unplaced.message ?? unplaced.reason}`
  const { state } = pod.statuses[0] ?? {}
  const words = [state?.reason ?? state?.kind ?? pod.phase, state?.message].filter(Boolean).join(': ')
  return `It did not answer within ${deadlineSeconds} s (${words}).`
}

function unknown(summary: string): ProbeVerdict {
  return {
    outcome: 'unknown',
    isGood: false,
    confidence: 'unknown',
    class: null,
    summary,
    evidence: [],
    mustNotConclude: [],
  }
}
