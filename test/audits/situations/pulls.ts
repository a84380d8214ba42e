import { person } from '../registry/registry.ts'
import { replayArc } from '../replay-arc.ts'
import type { Situation } from '../situation.ts'
import type { Stage } from '../stage.ts'

const state = '0.14.2/a-healthy-idle'

/** Images of a registry that asks for a password. */
export const healthyPulls: readonly Situation[] = [
  {
    name: 'pulled',
    how: 'runners of ARC pull their image from a registry, with the right password',
    classes: [],
    async make(stage) {
      const image = 'actions/pulled-runner:2.330.0'
      await stage.registry.push({ name: image, entries: stage.entries, command: ['/bin/sh'] })
      const pullSecret = await makePullSecret(stage, person.password)
      await replayArc(stage, state, { runnerImage: `${stage.registry.host}/${image}`, pullSecret })
    },
  },
]

export const brokenPulls: readonly Situation[] = [
  {
    name: 'pull-nameless',
    how: 'runners of ARC name no pull secret, and the registry wants a password',
    classes: ['image-pull-blocked', 'runner-pull-secret-missing'],
    async make(stage) {
      const runnerImage = `${stage.registry.host}/actions/nameless-runner:2.330.0`
      await replayArc(stage, state, { runnerImage, isRefused: true })
    },
  },
  {
    name: 'pull-refused',
    how: 'runners of ARC have a pull secret with a wrong password',
    classes: ['credential-invalid', 'image-pull-blocked'],
    async make(stage) {
      const runnerImage = `${stage.registry.host}/actions/refused-runner:2.330.0`
      const pullSecret = await makePullSecret(stage, 'wrong')
      await replayArc(stage, state, { runnerImage, pullSecret, isRefused: true })
    },
  },
]

async function makePullSecret(stage: Stage, password: string): Promise<string> {
  const auths = { [stage.registry.host]: { username: person.name, password } }
  await stage.make('/api/v1/secrets', {
    metadata: { name: 'pull' },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
  })
  return 'pull'
}
