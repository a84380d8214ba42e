import { quote } from '../../death/index.ts'
import { caVariables } from '../facts.ts'
import { likely } from '../verdict.ts'
import type { JobFailureRule } from './rule.ts'

const variables = new RegExp(`\\b(?:${caVariables.join('|')})["']?\\s*[:=]\\s*["']?/\\S+`)
/** Node.js says this of a bundle that it was given and cannot use. */
const unusable = /Ignoring extra certs from \S+, load failed/

/** The rule for certificates that a program of the step did not trust. */
export const trustRules: readonly JobFailureRule[] = [
  {
    name: 'a certificate was not trusted by it',
    gives: ['build-ca-missing', 'runtime-trust-store-broken'],
    means:
      'A program of the step does not trust a server, as npm says with UNABLE_TO_GET_ISSUER_CERT_LOCALLY. Where the log shows a CA bundle that is set, the trust store itself is broken; else the build has none.',
    needs:
      'Such words in what the failed step wrote; SSL_CERT_FILE, NIX_SSL_CERT_FILE or NODE_EXTRA_CA_CERTS in the log.',
    mustNotConclude:
      'That placement, the registry or its credentials are wrong: the job had started and ran.',
    nextSteps: [
      'Give the build a CA bundle that exists where it runs: SSL_CERT_FILE, NIX_SSL_CERT_FILE, NODE_EXTRA_CA_CERTS.',
      'If it stays with the variables set, look at the trust store of the image, not at where it runs.',
    ],
    fires: ({ signs, log, caBundles = null }) => {
      if (signs.tls === undefined) return null
      const set = variables.exec(log ?? '')?.[0] ?? unusable.exec(log ?? '')?.[0] ?? null
      if (set === null) {
        const missing = likely(
          'build-ca-missing',
          quote(signs, 'tls'),
          'Its log shows no CA bundle that is set.',
          ...givenText(caBundles),
        )
        return { ...missing, unknown: [unknownText(caBundles)] }
      }
      const broken = likely('runtime-trust-store-broken', quote(signs, 'tls'), `Its log shows: "${set}"`)
      return { ...broken, unknown: ['whether that file is there, and whether a build sandbox sees it'] }
    },
  },
]

/** A bundle of the runner is no bundle of a build: a sandbox has an environment and files of its own. */
function givenText(caBundles: readonly string[] | null): readonly string[] {
  if (caBundles === null) return []
  return caBundles.length === 0
    ? [`Its runner is given none either (${caVariables.join(', ')}).`]
    : [`Its runner is given ${caBundles.join(', ')}, which a build sandbox need not see.`]
}

function unknownText(caBundles: readonly string[] | null): string {
  return caBundles === null
    ? 'whether one is set where the log does not show it'
    : 'whether the build itself sets one, and whether its sandbox sees that file'
}
