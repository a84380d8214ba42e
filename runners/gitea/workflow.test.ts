import { describe, expect, it } from 'vitest'
import type { Task } from './service.ts'
import { planOf } from './workflow.ts'

const value = (source: string) => `$\{{ ${source} }}`

describe('the plan of a task', () => {
  it('has the steps with their scripts, environments, folders and times', () => {
    const plan = planOf(
      task(`
on: push
env: { TOP: top, REF: "${value('github.ref')}" }
defaults: { run: { working-directory: sub } }
jobs:
  build:
    name: build (a)
    runs-on: [linux]
    env: { OS: "${value('matrix.os')}", TOP: "over ${value('env.TOP')}" }
    strategy: { matrix: { os: [a] } }
    timeout-minutes: "5"
    steps:
      - run: echo ${value('matrix.os')} ${value('env.STEP')} ${value('secrets.WORD')}
        env: { STEP: "${value('env.OS')}!" }
        timeout-minutes: "2"
      - run: true
        working-directory: other
        shell: bash
        continue-on-error: true
        if: always()
`),
      'r-1',
    )
    expect(plan).toMatchObject({ name: 'build (a)', timeoutMs: 300_000, stepCount: 2, refusal: null })
    const env = { TOP: 'over top', REF: 'refs/heads/main', OS: 'a' }
    expect(plan.steps).toEqual([
      {
        script: 'echo a a! secret',
        shell: 'sh',
        env: { ...env, STEP: 'a!' },
        folder: 'sub',
        timeoutMs: 120_000,
        condition: undefined,
        mayFail: false,
      },
      {
        script: 'true',
        shell: 'bash',
        env,
        folder: 'other',
        timeoutMs: 7 * 24 * 60 * 60_000,
        condition: 'always()',
        mayFail: true,
      },
    ])
  })

  it.each([
    ['steps: [{ uses: actions/checkout@v4 }]', 'steps[0]: uses'],
    ['steps: [{ run: "true", with: {} }]', 'steps[0]: with'],
    ['container: alpine', 'jobs.*: container'],
    ['services: { db: { image: pg } }', 'jobs.*: services'],
    ['outputs: { a: b }', 'jobs.*: outputs'],
    ['steps: [{ run: "true", shell: pwsh }]', 'steps[0].shell: pwsh'],
    ['steps: [{ name: nothing }]', 'steps[0]: a step without run'],
    [`steps: [{ run: "${value('hashFiles(1)')}" }]`, 'hashFiles(1)'],
    ['steps: [{ run: "true", timeout-minutes: -1 }]', 'timeout-minutes'],
  ])('of %s is a refusal that names the unsupported key', (text, named) => {
    const plan = planOf(task(`jobs:\n  build:\n    ${text}\n`), 'r-1')
    expect(plan.refusal).toContain(named)
    expect(plan.steps).toEqual([])
  })

  it.each(['', '- a', 'jobs: [', 'jobs: 5'])('of a text that is no workflow (%j) has no steps', (text) => {
    const plan = planOf(task(text), 'r-1')
    expect(plan.steps).toEqual([])
  })
})

function task(yaml: string): Task {
  return {
    id: '1',
    workflowPayload: Buffer.from(yaml).toString('base64'),
    context: { ref: 'refs/heads/main' },
    secrets: { WORD: 'secret' },
  }
}
