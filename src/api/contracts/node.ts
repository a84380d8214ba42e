import { z } from 'zod'
import { isoTime } from './time.ts'

const amount = z.number().nullable()

/** A node by the newest sample of its agent; null: the agent could not read it. */
const nodeSchema = z.object({
  node: z.string(),
  at: isoTime,
  filesOpen: amount,
  /** Null also where the kernel sets no bound. */
  filesMax: amount,
  memoryFreeBytes: amount,
  diskFreeBytes: amount,
  inodesFree: amount,
})
export type ApiNode = z.output<typeof nodeSchema>

/** Nodes whose agents reported lately; `isCut`: there are more. */
export const nodeListSchema = z.object({ at: isoTime, nodes: z.array(nodeSchema), isCut: z.boolean() })
export type NodeList = z.output<typeof nodeListSchema>
