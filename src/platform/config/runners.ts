import { z } from 'zod'
import { setting } from '../../api/schema/index.ts'

/** Below are users of the machine and its people; above, what a container may not have mapped. */
const uidMin = 1_000
const uidMax = 2_147_483_646

const uids = z
  .string()
  .regex(/^\d+-\d+$/, 'two numbers, as 60706-61183')
  .refine((text) => isRange(text), `a first number from ${uidMin} and a last one that is not below it`)

/** The isolation of this machine's runners from Holdfast and from each other. */
export const runnersSchema = z.strictObject({
  isolation: setting(
    'Local runners only. `auto`: where Holdfast runs as root, the program of each runner is a user of its own, apart from Holdfast and from other runners. `off`: it is the user that Holdfast is.',
    z.enum(['auto', 'off']).default('auto'),
  ),
  runAs: setting(
    'Local runners only, where Holdfast runs as root: the name of one user of `/etc/passwd`, from number 1000, that all of them are, whatever `isolation` says; without its other groups. Unset, each is a user of its own, which is safer: this separates jobs from Holdfast and not from each other. A job can read, end and imitate the jobs next to it, and leave files and, where there are no cgroups, processes for those after it.',
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_.-]*\$?$/, 'the name of a user')
      .optional(),
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
  return first >= uidMin && last >= first && last <= uidMax
}
