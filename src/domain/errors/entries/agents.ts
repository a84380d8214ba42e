import { type ErrorEntry, exitCodes, itemLines } from '../entry.ts'

/** Agents of nodes, and what they push. */
export const agents = {
  E_AGENT_SETTINGS: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ problems }) => `The agent cannot start:${itemLines(problems)}`,
    hint: 'Nothing was started. Every setting of the agent is described by: holdfast agent --help',
  },
  E_AGENT_REFUSED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: () => 'No agent of this Holdfast has this token.',
    hint: 'In a cluster an agent shows its projected token for the audience holdfast and runs as the service account agent.serviceAccount; on one machine it shows the content of agent-token in the data folder.',
  },
  E_AGENT_NODE: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ of, podUid, node }) =>
      `The agent of node ${of} pushed samples of pod ${podUid} for node ${node}.`,
    hint: 'Nothing was kept. HOLDFAST_AGENT_NODE must be the name of the node that the agent runs on.',
  },
} as const satisfies Record<string, ErrorEntry>
