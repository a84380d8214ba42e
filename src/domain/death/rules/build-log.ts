import { oomSeen } from '../host.ts'
import type { Known } from '../known.ts'
import { quote } from '../log.ts'
import { type Finding, likely } from '../verdict.ts'
import { isOomRuledOut, memoryHints } from './guest-memory.ts'
import { rule } from './rule.ts'

/** What a build wrote of its own end, where the runner ended badly with it. */
export const buildLogRules = [
  rule({
    name: 'signal 9 killed a part of its job',
    gives: ['guest-oom', 'sigkill-unknown'],
    means: 'A program within the job was killed, and the runner ended badly after that.',
    needs:
      'A line about signal 9 in the log, and an end that was not exit code 0; memory signs make it guest-oom.',
    mustNotConclude:
      'An OOM kill without memory.events and memory.peak. The memory of the cluster proves nothing.',
    nextSteps: [
      'Let the job print memory.events and memory.peak of its group, and compare with memory.max.',
      'Repeat it once on the same commit; if it fails again, keep both logs together.',
    ],
    fires: signal9,
  }),
  rule({
    name: 'a certificate was not trusted',
    gives: ['failed'],
    means:
      'A program of the build does not trust the certificate of the server that it asked, as npm then says.',
    needs: 'Such a line in the log, and an end that was not exit code 0.',
    mustNotConclude: 'That placement, registry access or the runner is wrong: the job had started and ran.',
    nextSteps: [
      'Give the build a CA bundle: SSL_CERT_FILE, NIX_SSL_CERT_FILE, NODE_EXTRA_CA_CERTS.',
      'If it stays, look at the trust store of the image, not at where it runs.',
    ],
    fires: ({ isOpen, log }) =>
      isOpen && log.tls !== undefined ? likely('failed', quote(log, 'tls')) : null,
  }),
]

function signal9(known: Known): Finding | null {
  const { isOpen, log, ending } = known
  if (!isOpen || log.signal9 === undefined) return null
  const said = quote(log, 'signal9')
  const counted = (oomSeen(known)?.inAll ?? 0) + (ending.oomKills ?? 0)
  if (counted > 0)
    return likely('guest-oom', said, `${counted} kill(s) for memory were counted from outside.`)
  const hints = isOomRuledOut(known) ? [] : memoryHints(known)
  if (hints.length > 0) return likely('guest-oom', said, ...hints)
  return {
    ...likely('sigkill-unknown', said),
    unknown: ['what sent signal 9, and whether memory was the reason'],
  }
}
