import type { Minted, MintRefused, MintRequest } from '../../../ports/forge.ts'
import { ForgeRefusal, refusalOf } from '../refusal.ts'
import { mintedSchema } from '../schemas.ts'
import type { Answer } from '../transport/call.ts'
import { expectBody } from '../transport/expect.ts'
import type { Lines } from '../transport/lines.ts'
import type { GroupName, Place, Places } from './places.ts'
import { findRunner, removeRunner } from './runners.ts'

const WORK_FOLDER = '_work'
const purpose = 'dispatch'

/** A configuration for one runner; where the forge, or our budget, says no on any step of the way: that. */
export async function mint(
  lines: Lines,
  places: Places,
  request: MintRequest,
  signal: AbortSignal,
): Promise<Minted | MintRefused> {
  try {
    const place = await places.of(request.scope.repository, purpose, signal)
    const groupId = await places.groupId(place, groupOf(request), purpose, signal)
    const answer = await ask(lines, place, groupId, request, signal)
    const again = await groupToRepeatWith(answer, lines, places, place, groupId, request, signal)
    return outcomeOf(again === null ? answer : await ask(lines, place, again, request, signal), place)
  } catch (error) {
    if (error instanceof ForgeRefusal) return error.refusal
    throw error
  }
}

function ask(
  lines: Lines,
  { path, identity }: Place,
  groupId: number,
  { name, labels }: MintRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const call = lines(identity, purpose)
  const body = { name, labels, runner_group_id: groupId, work_folder: WORK_FOLDER }
  return call('POST', `${path}/actions/runners/generate-jitconfig`, signal, { body })
}

/** Some refusals are ours to lift: then the mint is repeated, once. Null: this one is not. */
async function groupToRepeatWith(
  { status }: Answer,
  lines: Lines,
  places: Places,
  place: Place,
  groupId: number,
  request: MintRequest,
  signal: AbortSignal,
): Promise<number | null> {
  if (status === 409) return (await isCleared(lines, place, request.name, signal)) ? groupId : null
  if (status !== 404 || place.kind === 'repository') return null
  // The group that we remember may have been replaced by another of its name.
  places.forgetGroup(place, groupOf(request))
  const newest = await places.groupId(place, groupOf(request), purpose, signal)
  return newest === groupId ? null : newest
}

function groupOf({ runnerGroup }: MintRequest): GroupName {
  return runnerGroup ?? null
}

/**
 * A name that exists already is that of a mint whose answer nobody kept: names are never used twice. Nobody can
 * use that configuration any more; but a runner that came to life or works is left alone.
 */
async function isCleared(lines: Lines, place: Place, name: string, signal: AbortSignal): Promise<boolean> {
  const found = await findRunner(lines, place, name, purpose, signal)
  if (found === null) return true
  if (found.online || found.busy) return false
  return (await removeRunner(lines, place, found.id, purpose, signal)) !== 'busy'
}

function outcomeOf(answer: Answer, { path }: Place): Minted | MintRefused {
  const refusal = refusalOf(answer)
  if (refusal !== null) return refusal
  const name = `POST ${path}/actions/runners/generate-jitconfig`
  const { runner, encoded_jit_config: jit } = expectBody(answer, 201, mintedSchema, name)
  return { kind: 'minted', forgeRunnerId: runner.id, jit }
}
