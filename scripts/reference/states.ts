import { attemptMoves, attemptStates } from '../../src/domain/attempt/index.ts'
import { jobMoves, jobStates } from '../../src/domain/job/index.ts'
import { diagram } from '../../src/domain/machine/index.ts'
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
  )
}

function section(title: string, words: string, drawing: string): string {
  return `## ${title}\n\n${words}\n\n\`\`\`mermaid\n${drawing}\n\`\`\``
}

const intro = `Jobs, attempts and runners each have one transition table in \`src/domain\`, and these diagrams are drawn
from them. An event that a state does not list is refused; nothing is changed by it. Every transition is one row of the
timeline: \`holdfast job <id>\` shows them.`

const ofJobs = `From first sight to a proven end. \`running\` means that the forge said so, naming the runner. The only ways back
are \`requeued\` (a failed mint, or recovery) and \`unbound\` (the forge gave its runner another job).`

const ofAttempts = `One job on one runner. Once its configuration was delivered, an attempt ends only with evidence.`

const ofRunners = `A fenced runner is given no job any more; a runner ends with its death record. A runner that was fenced first ends
as \`removed\`.`
