import { Command } from 'commander'
import { addAgent } from './commands/agent.ts'
import { addDeaths } from './commands/deaths.ts'
import { addDeliveries } from './commands/deliveries.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addExplain } from './commands/explain.ts'
import { addForge } from './commands/forge.ts'
import { addHosts } from './commands/hosts.ts'
import { addIncidents } from './commands/incidents.ts'
import { addJob } from './commands/job.ts'
import { addJobs } from './commands/jobs.ts'
import { addOperations } from './commands/operations.ts'
import { addOrders } from './commands/orders.ts'
import { addRunners } from './commands/runners.ts'
import { addSim } from './commands/sim.ts'
import { addStatus } from './commands/status.ts'
import { addSubmit } from './commands/submit.ts'
import { addUninstall } from './commands/uninstall.ts'
import { addUp } from './commands/up.ts'
import { type Context, createContext } from './context.ts'
import type { CliDeps } from './deps.ts'
import { helpLayout } from './help.ts'

export interface Cli {
  readonly program: Command
  readonly context: Context
}

/** The whole command line, without anything run yet. */
export function createCli(deps: CliDeps): Cli {
  const context = createContext(deps)
  const program = new Command('holdfast')
    .description(
      'Self-hosted CI runners that never lose a job silently, and that explain the death of every runner with evidence.',
    )
    .version(deps.version, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureOutput({
      writeOut: (text) => deps.stdout.write(text),
      writeErr: (text) => deps.stderr.write(text),
      outputError: () => {}, // said once, by whoever catches it
      getOutHelpWidth: () => context.width,
      getErrHelpWidth: () => context.width,
    })
    .configureHelp(helpLayout)
    .exitOverride()
    .enablePositionalOptions() // so that a command's own commands get the options behind their names
    .showSuggestionAfterError()
  addUp(program, context)
  addDemo(program, context)
  addSubmit(program, context)
  addStatus(program, context)
  addDoctor(program, context)
  addJobs(program, context)
  addJob(program, context)
  addExplain(program, context)
  addDeaths(program, context)
  addOrders(program, context)
  addRunners(program, context)
  addHosts(program, context)
  addIncidents(program, context)
  addForge(program, context)
  addDeliveries(program, context)
  addOperations(program, context)
  addUninstall(program, context)
  addAgent(program, context)
  addSim(program, context)
  return { program, context }
}
