import type { Minted, MintRefused, MintRequest } from '../../../ports/forge.ts'
import { ForgeRefusal, refusalOf } from '../refusal.ts'
import { mintedSchema } from '../schemas.ts'
import type { ApiResponse } from '../transport/call.ts'
import type { CallAs } from '../transport/call-as.ts'
import { expectBody } from '../transport/expect.ts'
import type { GroupName, RegistrationTarget, RegistrationTargets } from './registration-targets.ts'
import { findRunner, removeRunner } from './runners.ts'

const workFolder = '_work'
const purpose = 'dispatch'

/** Mints the configuration of one runner; a refusal by the forge or by our budget at any step is the result. */
export async function mint(
  callAs: CallAs,
  targets: RegistrationTargets,
  request: MintRequest,
  signal: AbortSignal,
): Promise<Minted | MintRefused> {
  try {
    const target = await targets.of(request.scope.repository, purpose, signal)
    const groupId = await targets.groupId(target, groupOf(request), purpose, signal)
    const answer = await ask(callAs, target, groupId, request, signal)
    const again = await groupToRepeatWith(answer, callAs, targets, target, groupId, request, signal)
    return outcomeOf(again === null ? answer : await ask(callAs, target, again, request, signal), target)
  } catch (error) {
    if (error instanceof ForgeRefusal) return error.refusal
    throw error
  }
}

function ask(
  callAs: CallAs,
  { path, identity }: RegistrationTarget,
  groupId: number,
  { name, labels }: MintRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const call = callAs(identity, purpose)
  const body = { name, labels, runner_group_id: groupId, work_folder: workFolder }
  return call('POST', `${path}/actions/runners/generate-jitconfig`, signal, { body })
}

/** The group with which to repeat the mint once, where we could remove the cause of a refusal; null: we could not. */
async function groupToRepeatWith(
  { status }: ApiResponse,
  callAs: CallAs,
  targets: RegistrationTargets,
  target: RegistrationTarget,
  groupId: number,
  request: MintRequest,
  signal: AbortSignal,
): Promise<number | null> {
  if (status === 409) return (await isCleared(callAs, target, request.name, signal)) ? groupId : null
  if (status !== 404 || target.kind === 'repository') return null
  // The cached group may have been replaced by another of its name.
  targets.forgetGroup(target, groupOf(request))
  const newest = await targets.groupId(target, groupOf(request), purpose, signal)
  return newest === groupId ? null : newest
}

function groupOf({ runnerGroup }: MintRequest): GroupName {
  return runnerGroup ?? null
}

/**
 * A name that exists already belongs to a mint whose response was lost, since names are never used twice. Nobody can
 * use that configuration any more; but a runner that is online or busy is left alone.
 */
async function isCleared(
  callAs: CallAs,
  target: RegistrationTarget,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await findRunner(callAs, target, name, purpose, signal)
  if (found === null) return true
  if (found.online || found.busy) return false
  return (await removeRunner(callAs, target, found.id, purpose, signal)) !== 'busy'
}

function outcomeOf(answer: ApiResponse, { path }: RegistrationTarget): Minted | MintRefused {
  const refusal = refusalOf(answer)
  if (refusal !== null) return refusal
  const name = `POST ${path}/actions/runners/generate-jitconfig`
  const { runner, encoded_jit_config: jit } = expectBody(answer, 201, mintedSchema, name)
  return { kind: 'minted', forgeRunnerId: runner.id, jit }
}
