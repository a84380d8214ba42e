import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { addFixCredentials } from './credentials.ts'
import { addFixOfSets } from './fix-of-sets.ts'
import { addFixGitlabOrphans } from './gitlab-orphans.ts'
import { addFixGitlabToken } from './gitlab-token.ts'
import { addFixHandoff } from './handoff.ts'
import { addFixOutdated } from './outdated.ts'
import { addFixRetryProof } from './retry-proof.ts'
import { addFixStuckFinalizers } from './stuck-finalizers.ts'

/** Adds `fix`: remedies for single findings of audits, each the plan by default. */
export function addFix(program: Command, context: Context): void {
  const fix = program
    .command('fix')
    .description(
      'Put one thing of a fleet right: a plan first, and with --apply exactly that (docs/remedies.md).',
    )
  addFixOfSets(fix, context, 'failed-runners')
  addFixHandoff(fix, context)
  addFixOfSets(fix, context, 'listener-blocker')
  addFixOfSets(fix, context, 'pull-secrets')
  addFixOfSets(fix, context, 'secret-drift')
  addFixCredentials(fix, context)
  addFixGitlabOrphans(fix, context)
  addFixOutdated(fix, context)
  addFixStuckFinalizers(fix, context)
  addFixRetryProof(fix, context)
  addFixGitlabToken(fix, context)
}
