import type { Command } from 'commander'
import { jobFileSchema, releaseAnswerSchema, whySchema } from '../../api/index.ts'
import { findServer } from '../client/find-server.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'
import { jobFileText } from '../output/job-file.ts'
import { whyText } from '../output/why.ts'

/** How a job is named on the command line. */
export const jobNameHelp = "its number here, or the forge's as installation:number"

/** Adds the commands about one job. */
export function addJob(program: Command, context: Context): void {
  const job = define(program, context, {
    name: 'job',
    description: 'Show a job: its timeline in words, attempts, decisions with their facts, evidence.',
    example: 'holdfast job 12\nholdfast job simulated:1001 --json',
    settings: 'client',
  }).argument('<id>', jobNameHelp)
  job.action(async (name: string, options: { json?: boolean }) => {
    const server = await findServer(job, context)
    const file = await server.get(`/v1/jobs/${encodeURIComponent(name)}`, jobFileSchema)
    const isOpen = file.job.state === 'queued' || file.job.state === 'running'
    const asks = isOpen && !file.archived && !options.json
    const why = asks ? await server.get(`/v1/jobs/${file.job.id}/why`, whySchema) : null
    printResult(context, options, file, jobFileText(file, why, context))
  })

  const why = define(program, context, {
    name: 'why',
    description:
      'Say why a job is still queued: behind whom, which cap, no capacity, out of reach, quarantine.',
    example: 'holdfast why 12',
    settings: 'client',
  }).argument('<job>', jobNameHelp)
  why.action(async (name: string, options: { json?: boolean }) => {
    const answer = await (await findServer(why, context)).get(
      `/v1/jobs/${encodeURIComponent(name)}/why`,
      whySchema,
    )
    printResult(context, options, answer, whyText(answer, context))
  })

  const release = define(program, context, {
    name: 'release',
    description: 'Lift the quarantine of a job, so that it is handed out again.',
    example: 'holdfast release 12',
    settings: 'client',
  }).argument('<job>', jobNameHelp)
  release.action(async (name: string, options: { json?: boolean }) => {
    const path = `/v1/jobs/${encodeURIComponent(name)}/release`
    const answer = await (await findServer(release, context)).post(path, releaseAnswerSchema)
    printResult(context, options, answer, `Job ${answer.job} is released: it is handed out in its turn.`)
  })
}
