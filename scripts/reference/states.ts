import { attemptMoves, attemptStates } from '../../src/domain/attempt/index.ts'
import { jobMoves, jobStates } from '../../src/domain/job/index.ts'
import { diagram } from '../../src/domain/machine/index.ts'
import { remedyMoves, remedyStates } from '../../src/domain/remedy/index.ts'
import { applyMoves, applyStates } from '../../src/domain/remedy/managed-apply/index.ts'
import { runnerMoves, runnerStates } from '../../src/domain/runner/index.ts'
import { page } from './markdown.ts'

/** docs/reference/states.md */
export function statesPage(): string {
  return page(
    'States',
    intro,
    section('Job', ofJobs, diagram(jobMoves, jobStates)),
    section('Attempt', ofAttempts, diagram(attemptMoves, attemptStates)),
    section('Runner', ofRunners, diagram(runnerMoves, runnerStates)),
    section('Remedy', ofRemedies, diagram(remedyMoves, remedyStates)),
    section('Managed apply', ofApplies, diagram(applyMoves, applyStates)),
  )
}

function section(title: string, words: string, drawing: string): string {
  return `## ${title}\n\n${words}\n\n\`\`\`mermaid\n${drawing}\n\`\`\``
}

const intro = `Jobs, attempts, runners, remedies and managed applies each have one transition table in \`src/domain\`, and these diagrams are
drawn from them. An event that a state does not list is refused; nothing is changed by it. Every transition of the first three
is one row of the timeline: \`holdfast job <id>\` shows them.`

const ofJobs = `From first sight to a proven end. \`running\` means that the forge said so, naming the runner. The only ways back
are \`requeued\` (a failed mint, or recovery) and \`unbound\` (the forge gave its runner another job).`

const ofAttempts = `One job on one runner. Once its configuration was delivered, an attempt ends only with evidence.`

const ofRunners = `A fenced runner is given no job any more; a runner ends with its death record. A runner that was fenced first ends
as \`removed\`.`

const ofRemedies = `A change to a fleet that Holdfast does not own. An act follows a passed re-check of that one object and nothing
else, and the next object follows a verification. Every transition is one row of the trail: \`holdfast trail list\` shows them.`

const ofApplies = `A command of the user around scale sets at rest ([guide](../managed-apply.md)). From \`cap-freeze\` on no end is
reached but through \`cap-restore\` or \`roll-back\`, which give the caps back.`
