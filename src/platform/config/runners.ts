import { z } from 'zod'
import { setting } from '../../api/schema/index.ts'

/** Below are users of the machine and its people; above, what a container may not have mapped. */
const UID_MIN = 1_000
const UID_MAX = 2_147_483_646

const uids = z
  .string()
  .regex(/^\d+-\d+$/, 'two numbers, as 60706-61183')
  .refine((text) => isRange(text), `a first number from ${UID_MIN} and a last one that is not below it`)

/** What separates the runners of this machine from Holdfast and from each other. */
export const runnersSchema = z.strictObject({
  isolation: setting(
    'Local runners only. `auto`: where Holdfast runs as root, the program of each runner is a user of its own, apart from Holdfast and from other runners. `off`: it is the user that Holdfast is.',
    z.enum(['auto', 'off']).default('auto'),
  ),
  uids: setting(
    'The users that local runners may be, as numbers; each is one runner at a time, on the whole machine. The default is a range that neither Debian nor systemd gives to anybody. Users of `/etc/passwd` are left out, unless their names begin with `holdfast-`.',
    uids.default('60706-61183'),
  ),
  folder: setting(
    'Where each of these users has its folder, with the working folder of its runner.',
    z.string().startsWith('/', 'an absolute path').default('/var/lib/holdfast-jobs'),
  ),
  allowRoot: setting(
    'Starts also where jobs of a real forge would run as root, because isolation is off or cannot be had.',
    z.boolean().default(false),
    { flagAlias: '--allow-root-runners' },
  ),
})

function isRange(text: string): boolean {
  const [first = 0, last = 0] = text.split('-').map(Number)
  return first >= UID_MIN && last >= first && last <= UID_MAX
}
