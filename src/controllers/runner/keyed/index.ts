export { eachBounded, type KeyedDeps, type KeyedWork, keyedLoop, type WorkedOn } from './keyed-loop.ts'
