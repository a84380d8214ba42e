import type { Submission } from '../client/simulated-forge.ts'

export const demoKinds = ['short', 'long', 'failing', 'memory', 'hanging', 'killed'] as const
export type DemoKind = (typeof demoKinds)[number]

/** A demo job: its description and its script. Every script ends by itself within a bound. */
interface DemoScript {
  readonly about: string
  readonly name: string
  readonly script: string
}

/** More memory than the limit of a runner, and little enough for any machine without limits. */
const memoryEatenBytes = 768 * 1024 * 1024
/** A hanging script ends after this time at the latest. */
const hangSeconds = 150
/** Longer than the simulated forge waits for a silent runner by default: it must be renewed on the way. */
const longSeconds = 35

export const demoScripts: Readonly<Record<DemoKind, DemoScript>> = {
  short: { about: 'ends well at once', name: 'lint', script: 'echo "checking"; sleep 1; echo "all is well"' },
  long: {
    about: `runs for ${longSeconds} s`,
    name: 'test',
    script: `i=0; while [ $i -lt ${longSeconds} ]; do i=$((i+1)); echo "test $i of ${longSeconds}"; sleep 1; done`,
  },
  failing: {
    about: 'fails by itself',
    name: 'build',
    script: 'echo "compiling"; sleep 1; echo "error: the build is broken" >&2; exit 1',
  },
  memory: {
    about: `eats ${memoryEatenBytes / 1024 / 1024} MiB of memory`,
    name: 'bundle',
    // tail keeps a line until it ends, and this one has no end before the bound.
    script: `echo "bundling"; head -c ${memoryEatenBytes} /dev/zero | tail > /dev/null && echo "nothing stopped it"`,
  },
  hanging: {
    about: 'its runner stops answering',
    name: 'e2e',
    script: `echo "hanging"; kill -STOP "$PPID"; sleep ${hangSeconds}; kill -CONT "$PPID"`,
  },
  killed: {
    about: 'its runner is killed',
    name: 'deploy',
    script: 'echo "about to be killed"; sleep 2; kill -KILL "$PPID"; sleep 2',
  },
}

export interface DemoJob extends Submission {
  readonly kind: DemoKind
}

/** Mostly good, as a day is; each kind appears before one repeats. */
const day: readonly DemoKind[] = ['short', 'killed', 'hanging', 'long', 'failing', 'memory', 'short', 'short']
const repositories = ['acme/web', 'acme/api', 'globex/shop', 'acme/mobile', 'globex/data'] as const

/** Returns `count` jobs of these kinds, spread over several repositories. */
export function demoMix(count: number, kinds: readonly DemoKind[], labels: readonly string[]): DemoJob[] {
  const wanted = day.filter((kind) => kinds.includes(kind))
  return Array.from({ length: count }, (_, index) => {
    const kind = wanted[index % wanted.length] as DemoKind
    const { name, script } = demoScripts[kind]
    const repository = repositories[index % repositories.length] as string
    return { kind, repository, name, labels, script }
  })
}
