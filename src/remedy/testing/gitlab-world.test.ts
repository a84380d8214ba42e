import { remedyPodsContract } from '../../../test/contract/remedy-pods/index.ts'
import { podFact } from '../../domain/snapshot/testing/facts.ts'
import { GitlabWorld } from './gitlab-world.ts'

remedyPodsContract(async () => {
  const world = new GitlabWorld()
  world.stored.clear()
  world.put(podFact('one', { namespace: 'ci' }))
  world.put(podFact('two', { namespace: 'else' }))
  return { pods: world.pods, change: () => world.change('one', {}) }
})
