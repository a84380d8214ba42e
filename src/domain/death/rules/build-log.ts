import type { Known } from '../known.ts'
import { quote } from '../log.ts'
import { type Finding, likely } from '../verdict.ts'
import { countedOutside, isOomRuledOut, memoryClaims } from './guest-memory.ts'
import { rule } from './rule.ts'

/** Rules over what a build wrote about its end, where the runner ended badly with it. */
export const buildLogRules = [
  rule({
    name: 'signal 9 killed a part of its job',
    gives: ['guest-oom', 'sigkill-unknown'],
    means: 'A program within the job was killed, and the runner ended badly after that.',
    needs:
      'A line about signal 9 in the log, and an end that was not exit code 0; kills for memory that were counted outside make it guest-oom.',
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
  const { isOpen, log } = known
  if (!isOpen || log.signal9 === undefined) return null
  const quoted = quote(log, 'signal9')
  const counted = countedOutside(known)
  if (counted > 0)
    return likely('guest-oom', quoted, `${counted} kill(s) for memory were counted from outside.`)
  return {
    ...likely('sigkill-unknown', quoted, ...(isOomRuledOut(known) ? [] : memoryClaims(known))),
    unknown: ['what sent signal 9, and whether memory was the reason'],
  }
}
