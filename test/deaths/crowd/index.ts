export { crowdName, crowdNodes, runCrowd } from './crowd.ts'
export { type CrowdResult, crowdLines } from './judge.ts'
