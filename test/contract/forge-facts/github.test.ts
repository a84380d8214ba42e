import { overHttp } from '../forge/over-http.ts'
import { forgeFactsContract } from './index.ts'

forgeFactsContract('GitHub, over the simulated forge', () => overHttp('simulated'), { hasLimit: true })
