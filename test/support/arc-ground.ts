import { generationsPath, openGround } from './remedy-ground.ts'

/** A healthy set of ARC with two idle runners of which one is wanted no more, a forge, and a data folder. */
export async function arcGround(env: Readonly<Record<string, string>> = {}) {
  const ground = await openGround('0.14.2/a-healthy-idle', {}, env)
  const { truth } = ground.api
  const [set] = truth.objects(generationsPath)
  if (set === undefined) throw new Error('the state has a set')
  truth.put(generationsPath, set.metadata.name, { ...set, spec: { ...(set.spec as object), replicas: 1 } })
  return { ...ground, kubeconfig: ground.order.kubeconfig }
}
