export { goodbyeMs, isLive, liveRunnerStates, type Runner, type RunnerState, runnerStates } from './runner.ts'
export { type RunnerEvent, runnerMoves, transitionRunner } from './transition.ts'
