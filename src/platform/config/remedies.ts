import { z } from 'zod'
import { setting } from '../../api/schema/index.ts'

const hourSeconds = 3_600
const monthSeconds = 30 * 24 * hourSeconds
const setsMax = 100

const name = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?'
const namespace = z.string().regex(new RegExp(`^${name}$`), 'the name of a namespace')

const reap = z
  .strictObject({
    mode: setting(
      'Idle runners of ARC in the same cluster that outlive the demand: `off`, left alone; `observe`, planned and noted in the trail by the leader, and never removed; `apply`, removed by it, by the gates of `holdfast reap` ([guide](../remedies.md)).',
      z.enum(['off', 'observe', 'apply']).default('off'),
    ),
    scaleSets: setting(
      'AutoscalingRunnerSets to look at, each as namespace/name.',
      z
        .array(z.string().regex(new RegExp(`^${name}/${name}$`), 'namespace/name, such as arc-runners/linux'))
        .max(setsMax)
        .default([]),
    ),
    all: setting('All AutoscalingRunnerSets, in place of `scaleSets`.', z.boolean().default(false)),
    namespaces: setting(
      'With `all`, only those in these namespaces; empty: everywhere.',
      z.array(namespace).max(setsMax).default([]),
    ),
    staleGeneration: setting(
      'Also runners without a job of generations that are not the newest.',
      z.boolean().default(false),
    ),
    minAgeSeconds: setting(
      'Younger runners are left alone.',
      z.int().min(hourSeconds).max(monthSeconds).default(hourSeconds),
    ),
    everyMinutes: setting(
      'Pause between two looks, also where another Holdfast has begun to lead.',
      z.int().min(5).max(1_440).default(30),
    ),
    controllerNamespace: setting(
      "Namespace of ARC's controller and listeners.",
      namespace.default('arc-systems'),
    ),
  })
  .refine(({ mode, scaleSets, all }) => mode === 'off' || scaleSets.length > 0 !== all, {
    path: ['scaleSets'],
    error: 'the sets, each as namespace/name, or remedies.reap.all, because remedies.reap.mode is not off',
  })
  .refine(({ namespaces, all }) => namespaces.length === 0 || all, {
    path: ['namespaces'],
    error: 'none, unless remedies.reap.all is true',
  })

/** Remedies that the leader applies by itself to a fleet that is not Holdfast's; none unless set. */
export const remediesSchema = z.strictObject({ reap: reap.prefault({}) })
