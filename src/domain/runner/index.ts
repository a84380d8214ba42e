export { goodbyeMs, isLive, liveRunnerStates, type Runner, type RunnerState, runnerStates } from './runner.ts'
export { type RunnerTransition, runnerMoves, transitionRunner } from './transition.ts'
