import { type Command, Option } from 'commander'
import { urlOf } from '../../http/index.ts'
import { agentOptions, agentSettings } from '../agent-settings.ts'
import { loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'

/** Adds `agent`, the sampler of one node. */
export function addAgent(program: Command, context: Context): void {
  const command = define(program, context, {
    name: 'agent',
    description:
      'Watch the runners of this node from outside, each second: memory, processor, pressure and kills of their cgroups. When one ends, Holdfast gets the last minutes.',
    example: 'holdfast agent --url https://holdfast.example --token-file /var/run/secrets/holdfast/token',
    settings: 'none',
  })
  for (const { flag, env, description, defaultText } of Object.values(agentOptions)) {
    command.addOption(new Option(`--${flag} <value>`, `${description} (${env}; else ${defaultText})`))
  }
  command.action(async (options: { json?: boolean }) => {
    const { config } = loadFor(command, context)
    const here = { url: urlOf(config.http.host, config.http.port), dataDir: config.dataDir }
    const settings = agentSettings({ options: command.opts(), env: context.env, here })
    context.exitCode = await context.roles.agent(settings, config.log.level, () =>
      printResult(context, options, settings, `Watching node ${settings.node}; reporting to ${settings.url}`),
    )
  })
}
