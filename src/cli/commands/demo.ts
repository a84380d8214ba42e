import { type Command, Option } from 'commander'
import { HoldfastError } from '../../domain/errors/index.ts'
import { findServer } from '../client/find-server.ts'
import { servedLabels } from '../client/served-labels.ts'
import { simulatedForgeOf } from '../client/simulated-forge.ts'
import { type Context, printResult, printText } from '../context.ts'
import { define } from '../define.ts'
import { hasEnded, look } from '../demo/follow.ts'
import { type DemoKind, demoKinds, demoMix } from '../demo/mix.ts'
import { createProgress, type DemoFollowed } from '../demo/progress.ts'
import { lacksRecord, readEnds, summaryText } from '../demo/summary.ts'
import { numberBetween } from './number.ts'
import { pause } from './pause.ts'

const countMax = 200
const secondsMax = 3_600
/** The forge gives a hanging runner up after a while, and other jobs may wait for its capacity. */
const secondsDefault = 300
const lookEveryMs = 500
/** A runner ends a moment after its job, and its end is sealed a moment after that. */
const recordMs = 3_000

interface DemoOptions {
  readonly json?: boolean
  readonly count: number
  readonly only?: readonly DemoKind[]
  readonly label: readonly string[]
  readonly timeout: number
}

export function addDemo(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'demo',
    description:
      'Submit a realistic mix to the simulated forge (short, long, failing, memory-eating, hanging, killed), show the progress, and how each job ended.',
    example: 'holdfast demo\nholdfast demo --only killed,hanging --count 4',
    settings: 'client',
  })
    .option('--count <count>', `so many jobs, up to ${countMax}`, numberBetween(1, countMax), 8)
    .addOption(new Option('--only <kinds>', `only these: ${demoKinds.join(', ')}`).argParser(readKinds))
    .option('--label <label...>', 'labels of the jobs', ['self-hosted'])
    .option('--timeout <seconds>', 'give up waiting after this', numberBetween(1, secondsMax), secondsDefault)
  command.action(async (options: DemoOptions) => {
    const server = await findServer(command, context)
    const forge = await simulatedForgeOf(server, context)
    await servedLabels(server, options.label)
    let followed: DemoFollowed[] = []
    for (const { kind, ...job } of demoMix(options.count, options.only ?? demoKinds, options.label)) {
      followed.push({ kind, repository: job.repository, forgeJobId: await forge.submit(job), job: null })
    }
    const show = options.json ? () => {} : createProgress(context)
    if (!options.json)
      printText(context, `Submitted ${followed.length} jobs. Follow them here or at ${server.url}`)
    const deadline = context.clock.now() + options.timeout * 1000
    do {
      const now = await look(server, forge.installation, followed)
      followed = now.followed
      show(followed, now.at)
    } while (
      !followed.every(hasEnded) &&
      context.clock.now() < deadline &&
      (await pause(lookEveryMs, context))
    )
    const recordedBy = context.clock.now() + recordMs
    let ends = await readEnds(server, followed)
    while (
      ends.some(lacksRecord) &&
      context.clock.now() < recordedBy &&
      (await pause(lookEveryMs, context))
    ) {
      ends = await readEnds(server, followed)
    }
    const open = ends.filter(({ job }) => job === null || job.endedAt === null).length
    printResult(context, options, { jobs: ends, unfinished: open }, `\n${summaryText(ends, context)}`)
    if (open === 0) return
    const over = new HoldfastError('E_WAIT_OVER', {
      what: `${open} jobs did not end`,
      seconds: options.timeout,
    })
    // With --json the one document is printed already and lists the open jobs.
    if (!options.json) throw over
    context.exitCode = over.entry.exitCode
  })
}

function readKinds(text: string): DemoKind[] {
  return text.split(',').map((word) => {
    const kind = demoKinds.find((known) => known === word.trim())
    if (kind === undefined) {
      throw new HoldfastError('E_USAGE', {
        problem: `--only has "${word}"; the kinds are ${demoKinds.join(', ')}`,
      })
    }
    return kind
  })
}
