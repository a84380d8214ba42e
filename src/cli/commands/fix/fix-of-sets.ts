import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { define } from '../../define.ts'
import type { FixOfSets } from '../../deps.ts'
import {
  addRemedyOptions,
  addSetsOptions,
  isSetChosen,
  type RemedyOptions,
  remedyOrder,
  type SetsOptions,
  setsChoice,
} from '../../remedy/options.ts'
import { runFix } from './run-fix.ts'

/** Fixes that need nothing but the sets, with what each plans. */
const descriptions: Readonly<Record<FixOfSets, string>> = {
  'failed-runners':
    'Plan the removal of runners of ARC that are Failed and hold a slot for good, and with --apply do exactly that, one by one. Put their cause right first: where it persists, the next runner fails as well.',
  'listener-blocker':
    'Plan the removal of the idle runners for whose end ARC waits before it makes the missing listener of a set again, and with --apply do exactly that, one by one: the forge must call every one of them free.',
  'pull-secrets':
    "Plan to copy the pull secret with which the runners of a set really pull to its listener's namespace, where it is missing or differs, and to make a listener again that waits for its image; with --apply do exactly that. Values are never shown: only hashes.",
  'secret-drift':
    "Plan to copy the credential with which a set's listener really has its session over the copy in the listener's namespace that differs; with --apply do exactly that. Values are never shown: only hashes.",
}

/** Adds `fix <remedy>` for one of them. */
export function addFixOfSets(fix: Command, context: Context, remedy: FixOfSets): void {
  const command = define(fix, context, {
    name: remedy,
    description: descriptions[remedy],
    example: [
      `holdfast fix ${remedy} --scale-set arc-runners/linux`,
      `holdfast fix ${remedy} --apply <hash of the plan>`,
    ].join('\n'),
    settings: 'client',
  })
  addRemedyOptions(addSetsOptions(command))
  command.action((options: RemedyOptions & SetsOptions) =>
    runFix(command, context, options, (kubeconfig) => ({
      remedy,
      ...remedyOrder(options, kubeconfig, isSetChosen(options)),
      scope: setsChoice(options),
    })),
  )
}
