import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { enterable } from './enter.ts'
import type { Hierarchy } from './hierarchy.ts'
import { removeGroup } from './remove.ts'
import { rightsReasonOf } from './rights-reason.ts'
import { type Controller, controllers, type Prepared } from './types.ts'

/** Version 1: each controller is a hierarchy of its own and may be ours or not. */
export async function prepareV1(split: readonly Hierarchy[], baseName: string): Promise<Prepared> {
  const bases: Partial<Record<Controller, string>> = {}
  const why: string[] = []
  for (const controller of controllers) {
    const hierarchy = split.find((candidate) => candidate.controllers.includes(controller))
    if (hierarchy === undefined) {
      why.push(`${controller}: this machine has no such controller mounted`)
      continue
    }
    const base = path.join(hierarchy.own, baseName)
    const problem = await tryBase(base)
    if (problem === null) bases[controller] = base
    else why.push(`${controller}: ${problem}`)
  }
  return { version: 1, bases, why }
}

async function tryBase(base: string): Promise<string | null> {
  try {
    await mkdir(base, { recursive: true })
  } catch (error) {
    return `${base} cannot be made: ${rightsReasonOf(error)}`
  }
  const problem = await enterable(base)
  if (problem !== null) await removeGroup(base)
  return problem
}
