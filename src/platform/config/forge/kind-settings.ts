import type { z } from 'zod'

/**
 * The schemas of the settings that only one kind of forge has. The file of each kind in `kinds/` adds its own to this type
 * (declaration merging), so that the settings are typed and no list names them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the kinds fill it
export interface OwnShape {}

/** The settings that only one kind of forge has. */
export type OwnSettings = z.output<z.ZodObject<{ [Name in keyof OwnShape]: OwnShape[Name] & z.ZodType }>>

/** The settings of the forge that a kind judges: those that all kinds share, and those of its own. */
export interface JudgedSettings extends OwnSettings {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly scope: ForgeScope
  readonly webhookSecrets: readonly string[]
}

/** Where runners are registered. */
export const forgeScopes = ['repository', 'organisation', 'enterprise'] as const
type ForgeScope = (typeof forgeScopes)[number]

/** A setting of the forge that cannot stay as it is. */
export interface SettingProblem {
  readonly path: readonly string[]
  readonly expected: string
}

/** The settings of one kind of forge: those of its own, by their place among the shared ones, and what it requires. */
export interface KindSettings {
  /** By which it knows us; they follow `forge.token`. */
  readonly credentials?: z.ZodRawShape
  /** Where and how runners are registered; they follow `forge.scope`. */
  readonly registration?: z.ZodRawShape
  /** All others; they come last. */
  readonly others?: z.ZodRawShape
  /** How a shared setting is found where it is not given, for the reference. */
  readonly defaultTexts?: { readonly url?: string; readonly pointsPerMinute?: string }
  /** Own settings that contradict each other, whichever kind is in use. */
  contradictions?(settings: JudgedSettings): readonly SettingProblem[]
  /** Settings that are missing or unfit where this kind is in use. */
  missing?(settings: JudgedSettings): readonly SettingProblem[]
  /** Settings that are missing where this kind is in use and runners are pods. */
  missingForPods?(settings: JudgedSettings): readonly SettingProblem[]
}
