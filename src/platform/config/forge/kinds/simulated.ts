import { z } from 'zod'
import { setting } from '../../../../api/schema/index.ts'
import type { KindSettings } from '../kind-settings.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Below this a busy machine alone makes a runner that is well look dead. */
const lockRenewTimeoutMsMin = 2_000

const others = {
  simulated: z
    .strictObject({
      port: setting(
        'Port of the simulated forge; 0 takes a free one.',
        z.int().min(0).max(65_535).default(8481),
      ),
      runnersUrl: setting(
        'Address under which runners reach the simulated forge, where they are not on this machine.',
        z.url({ protocol: /^https?$/, error: 'an http or https URL' }).optional(),
      ),
      lockRenewTimeoutMs: setting(
        'The simulated forge gives a job up when its runner was silent this long; runners renew four times as often.',
        z.int().min(lockRenewTimeoutMsMin).max(dayMs).default(20_000),
      ),
    })
    .prefault({}),
}

type Shape = typeof others
declare module '../kind-settings.ts' {
  interface OwnShape extends Shape {}
}

/** The settings of the simulated forge. */
export const settings: KindSettings = {
  others,
  defaultTexts: { url: 'the simulated forge' },
  missingForPods: ({ url, simulated: { runnersUrl } }) =>
    (url ?? runnersUrl) === undefined
      ? [
          {
            path: ['simulated', 'runnersUrl'],
            expected:
              'the address under which pods reach the simulated forge, because fleet.kind is kubernetes',
          },
        ]
      : [],
}
