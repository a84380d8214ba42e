import { Command } from 'commander'
import { addAgent } from './commands/agent.ts'
import { addApply } from './commands/apply.ts'
import { addAudit } from './commands/audit.ts'
import { addCapacity } from './commands/capacity.ts'
import { addContract } from './commands/contract.ts'
import { addDeaths } from './commands/deaths.ts'
import { addDecisions } from './commands/decisions.ts'
import { addDeliveries } from './commands/deliveries.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addExplain } from './commands/explain.ts'
import { addFix } from './commands/fix/index.ts'
import { addForge } from './commands/forge.ts'
import { addHost } from './commands/host.ts'
import { addHosts } from './commands/hosts.ts'
import { addIncidents } from './commands/incidents.ts'
import { addJob } from './commands/job.ts'
import { addJobs } from './commands/jobs.ts'
import { addOperations } from './commands/operations.ts'
import { addOrders } from './commands/orders.ts'
import { addProbe } from './commands/probe/index.ts'
import { addReap } from './commands/reap.ts'
import { addRunners } from './commands/runners.ts'
import { addSim } from './commands/sim.ts'
import { addSnapshot } from './commands/snapshot.ts'
import { addStatus } from './commands/status.ts'
import { addSubmit } from './commands/submit.ts'
import { addTrail } from './commands/trail.ts'
import { addTriage } from './commands/triage.ts'
import { addUninstall } from './commands/uninstall.ts'
import { addUp } from './commands/up.ts'
import { addWorkdir } from './commands/workdir.ts'
import { type Context, createContext } from './context.ts'
import type { CliDeps } from './deps.ts'
import { helpLayout } from './help.ts'

export interface Cli {
  readonly program: Command
  readonly context: Context
}

/** Builds the whole command line without running anything. */
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
      outputError: () => {}, // the caller that catches the error prints it once
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
  addTriage(program, context)
  addDeaths(program, context)
  addDecisions(program, context)
  addAudit(program, context)
  addReap(program, context)
  addApply(program, context)
  addFix(program, context)
  addProbe(program, context)
  addTrail(program, context)
  addOrders(program, context)
  addRunners(program, context)
  addHosts(program, context)
  addIncidents(program, context)
  addForge(program, context)
  addDeliveries(program, context)
  addSnapshot(program, context)
  addContract(program, context)
  addCapacity(program, context)
  addWorkdir(program, context)
  addHost(program, context)
  addOperations(program, context)
  addUninstall(program, context)
  addAgent(program, context)
  addSim(program, context)
  return { program, context }
}
