import type { Audit } from '../audit.ts'
import { keyOf } from '../joins.ts'
import { unjudgedBy } from '../judging.ts'
import { controllerPullSecretStale, pullSecretClasses } from './classes.ts'
import { judgeDrift } from './drift.ts'
import { judgePull } from './judge-pull.ts'
import { failingPulls } from './pulls.ts'
import { pullSecretTable } from './table.ts'

/** The pull secrets of listeners and runners, by the pulls that registries refuse. */
export const pullSecrets: Audit = {
  name: 'pull-secrets',
  title: 'Pull secrets of listeners and runners',
  classes: pullSecretClasses,
  judge(input) {
    const { cluster } = input.snapshot
    const secretByKey = new Map(cluster.secrets.items.map((secret) => [keyOf(secret), secret]))
    const pulls = failingPulls(input)
    const ofPulls = pulls.map((pull) => judgePull(pull, input, secretByKey))
    const refused = ofPulls.flatMap(({ findings }) => findings)
    return {
      findings: [...refused, ...judgeDrift(input, secretByKey, refused)],
      unjudged: [
        ...[cluster.pods, cluster.listeners, cluster.runners].flatMap((listing) =>
          unjudgedBy(pullSecretClasses, listing),
        ),
        ...unjudgedBy([controllerPullSecretStale], cluster.secrets),
        ...ofPulls.flatMap(({ unjudged }) => unjudged),
      ],
      tables: pullSecretTable(input, secretByKey),
    }
  },
}
