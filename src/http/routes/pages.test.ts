import { describe, expect, it } from 'vitest'
import { die, nodeIncident } from '../../../test/support/deaths.ts'
import { cause, createBench, jobEventOf, operatorToken } from '../../../test/support/holdfast-app.ts'
import { classifyDeath, correctionRule } from '../../domain/death/index.ts'
import { aJobAtEnd, anEnd } from '../../domain/death/testing.ts'

const incident = {
  kind: 'actions-disabled',
  installation: 'contract',
  scope: 'repository',
  key: 'acme/web',
  reason: 'off <b>',
} as const
const inject = '<script>alert("x")</script>'

describe('GET /', () => {
  it('shows what waits, runs and ended, and the runners, each with source and age', async () => {
    const { ask, queue, enrol, post, ledger, clock } = await createBench()
    await queue(1, { name: 'lint' })
    const started = await queue(2, { name: 'build' })
    await enrol('linux-1')
    const runs = {
      ...jobEventOf(2, { name: 'build' }),
      status: 'in_progress' as const,
      runnerName: 'elsewhere-1',
    }
    await ledger.applyJobEvent({ ...runs, startedAt: clock.now() }, cause)
    await queue(3, { name: 'deploy' })
    const over = { ...jobEventOf(3), status: 'completed' as const, conclusion: 'failure' }
    await ledger.applyJobEvent({ ...over, completedAt: clock.now() }, cause)
    await clock.advance(65_000)
    expect((await post('/v1/dispatch', 'wrong', { runner: 'linux-1' })).status).toBe(401)
    const answer = await ask('/')
    expect(answer.status).toBe(200)
    const page = plain(await answer.text())
    expect(page).toContain('Waiting (1) ledger, read at 03:05:10 UTC')
    expect(page).toContain('1 acme/web lint queued linux 1 min 5 s forge')
    expect(page).toContain(`${started} acme/web build elsewhere-1 1 min 5 s forge`)
    expect(page).toContain('3 acme/web deploy failure – 1 min 5 s forge')
    expect(page).toContain('linux-1 linux booting – 1 min 5 s ledger')
  })

  it('shows the class of a death next to the job that it ended', async () => {
    const { ask, queue, enrol, post, ledger } = await createBench()
    await queue(1)
    await post('/v1/dispatch', await enrol('linux-1'), { runner: 'linux-1' })
    const runner = await ledger.findRunner('linux-1')
    await ledger.sealDeath(runner?.id ?? 0, classifyDeath(null), 'vanished', cause)
    await ledger.applyJobEvent({ ...jobEventOf(1), status: 'completed', conclusion: 'failure' }, cause)
    expect(plain(await (await ask('/')).text())).toMatch(/1 acme\/web test \w+ vanished/)
  })

  it('shows what somebody must act on, only where there is something', async () => {
    const { ask, queue, ledger } = await createBench()
    await queue(1)
    await queue(2, { labels: ['self-hosted', 'gpu'] })
    expect(plain(await (await ask('/')).text())).not.toContain('Incidents')
    await ledger.raiseIncident(incident, 60_000)
    const page = plain(await (await ask('/')).text())
    expect(page).toContain('Incidents (1 open) ledger, read at 03:04:05 UTC')
    expect(page).toContain(
      `acme/web repository Actions are disabled in this repository. The forge says: off &lt;b&gt; Enable them`,
    )
    expect(page).toMatch(/1 acme\/web test unreachable Actions are disabled/)
    expect(page).toMatch(
      /2 acme\/web test unreachable No pool serves its labels \(self-hosted, gpu\)\. Give a pool/,
    )
    await ledger.liftIncident(incident)
    expect(plain(await (await ask('/')).text())).not.toContain('Incidents')
  })

  it('shows runners that died, each with a way to its explanation, and what many have in common', async () => {
    const bench = await createBench()
    await die(bench, 'linux-1', 'm789d', { job: aJobAtEnd({ jobId: 7 }) })
    await die(bench, 'linux-2', 'm1', { class: 'clean' })
    await bench.ledger.raiseIncident(nodeIncident, 0)
    const text = await (await bench.ask('/')).text()
    const page = plain(text)
    expect(page).toContain('Deaths in 1 d (1) ledger, read at 03:04:05 UTC 1 clean, 1 never-started.')
    expect(page).toContain('never-started linux-1 m789d linux acme/web 7 0 s host')
    expect(page).not.toContain('clean linux-2')
    expect(page).toContain('never-started on node m789d runners Runners end alike on one node')
    expect(page).toContain('elsewhere. 9 of 11 `never-started` on node m789d in 6 min')
    const [, href = ''] = /href="(\/explain\/[^"]+)"/.exec(text) ?? []
    const explained = await bench.ask(href)
    expect(explained.status).toBe(200)
    expect(plain(await explained.text())).toContain('runner linux-1 of pool linux')
  })

  it('shows of an end that was sealed although its runner lived what is true, and that it was corrected', async () => {
    const bench = await createBench()
    await die(bench, 'linux-1', 'm1', { class: 'vanished' })
    await die(bench, 'linux-2', 'm1', { class: 'vanished' })
    const about = { rule: correctionRule, jobId: null, attemptId: null, runnerId: 1 }
    await bench.ledger.recordDecision({ ...about, facts: { found: 'alive' }, actions: [] })
    const page = plain(await (await bench.ask('/')).text())
    expect(page).toContain('alive corrected: not vanished linux-1')
    expect(page).not.toContain('vanished linux-2 corrected')
    expect(page).toContain('vanished linux-2')
  })

  it('says so where there is nothing', async () => {
    const { ask } = await createBench()
    const page = plain(await (await ask('/')).text())
    for (const words of [
      'No job waits.',
      'No job runs.',
      'Nothing has ended yet.',
      'There is no runner.',
      'No runner died',
    ]) {
      expect(page).toContain(words)
    }
  })

  it('loads nothing from elsewhere and runs nothing inline', async () => {
    const { ask } = await createBench()
    const answer = await ask('/')
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /)
    const text = await answer.text()
    expect(text).not.toMatch(/<style|style=|<script>|\son\w+=/)
    const linked = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
    expect(linked).toHaveLength(3)
    for (const path of linked) expect((await ask(path)).status, path).toBe(200)
  })
})

describe('what only a newer version can read', () => {
  it('is shown on the status page next to all readable rows', async () => {
    const { ask, queue, enrol, ledger } = await createBench()
    for (const id of [1, 2]) await queue(id)
    await enrol('linux-1')
    ledger.makeUnreadable({ kind: 'job', id: 1 })
    ledger.makeUnreadable({ kind: 'runner', id: 1 })
    const answer = await ask('/')
    expect(answer.status).toBe(200)
    const page = plain(await answer.text())
    expect(page).toContain('Waiting (1)')
    expect(page).toContain('Written by a newer version (2)')
    expect(page).toContain('runner linux-1 linux')
  })

  it('is not shown where everything can be read', async () => {
    const { ask, queue } = await createBench()
    await queue(1)
    expect(plain(await (await ask('/')).text())).not.toContain('newer version')
  })
})

describe('GET /jobs/:job', () => {
  it('shows the timeline in words, and why the job waits', async () => {
    const { ask, queue, enrol, post, ledger } = await createBench()
    const id = await queue(1)
    const page = plain(await (await ask(`/jobs/${id}`)).text())
    expect(page).toContain('Job 1 queued')
    expect(page).toContain('Why it waits: It is next, and waits for a runner to start.')
    await post('/v1/dispatch', await enrol('linux-1'), { runner: 'linux-1' })
    const name = ledger.rows.attempts.get(1)?.forgeRunnerName ?? ''
    await ledger.applyJobEvent({ ...jobEventOf(1), status: 'in_progress', runnerName: name }, cause)
    const later = plain(await (await ask(`/jobs/${id}`)).text())
    expect(later).toContain(`Runner ${name} is to run it. dispatch`)
    expect(later).toContain(`The forge says that it runs on ${name}. audit`)
  })

  it('shows a job that no runner can be given as unreachable, with the reason and what to do', async () => {
    const { ask, queue, ledger } = await createBench()
    await queue(1)
    await ledger.raiseIncident(incident, 60_000)
    const page = plain(await (await ask('/jobs/1')).text())
    expect(page).toContain('Job 1 unreachable')
    expect(page).toContain('Why it waits: Actions are disabled in this repository. The forge says: off')
    expect(page).toContain('Enable them in the repository')
  })

  it('is a 404 for a job that is not known', async () => {
    const { ask } = await createBench()
    expect((await ask('/jobs/5')).status).toBe(404)
  })
})

describe('GET /explain/:subject', () => {
  it('explains how a runner ended: verdict, what is not known, timeline and what to do', async () => {
    const bench = await createBench()
    await die(bench, 'linux-1', 'm1', classifyDeath(anEnd({ exitCode: 137, tail: '<b>its last words' })))
    const headers = { authorization: `Bearer ${operatorToken}` }
    const page = plain(await (await bench.ask('/explain/linux-1', { headers })).text())
    expect(page).toContain('sigkill-unknown')
    for (const part of ['Verdict', 'Evidence', 'Ruled out', 'Not known', 'Timeline', 'What Holdfast did']) {
      expect(page).toContain(`${part} ledger, read at`)
    }
    expect(page).toContain('&lt;b&gt;its last words')
  })

  it('shows the words of the job to nobody without the token, nor does anything else that is open here', async () => {
    const bench = await createBench()
    const { queue, enrol, post, ledger, ask } = bench
    const id = await queue(1)
    await post('/v1/dispatch', await enrol('linux-1'), { runner: 'linux-1' })
    const runner = await ledger.findRunner('linux-1')
    const record = classifyDeath(anEnd({ exitCode: 137, tail: 'its last words' }))
    await ledger.sealDeath(runner?.id ?? 0, record, 'died', cause)
    const headers = { authorization: `Bearer ${operatorToken}` }
    for (const path of ['/explain/linux-1', `/jobs/${id}`, '/v1/explain/linux-1', `/v1/jobs/${id}`]) {
      const [open, shown] = [await ask(path), await ask(path, { headers })]
      expect([path, open.status, await shown.text()]).toEqual([
        path,
        200,
        expect.stringContaining('its last words'),
      ])
      expect(await open.text()).not.toContain('its last words')
    }
  })

  it('is reached from the page of a job whose runner died', async () => {
    const { ask, queue, enrol, post, ledger } = await createBench()
    const id = await queue(1)
    await post('/v1/dispatch', await enrol('linux-1'), { runner: 'linux-1' })
    const runner = await ledger.findRunner('linux-1')
    await ledger.sealDeath(runner?.id ?? 0, classifyDeath(null), 'vanished', cause)
    const [, href = ''] = /href="(\/explain\/[^"]+)"/.exec(await (await ask(`/jobs/${id}`)).text()) ?? []
    expect(plain(await (await ask(href)).text())).toContain('vanished')
  })

  it('is a 404 for what is not known here, and the forge is not asked', async () => {
    const { ask } = await createBench()
    expect((await ask('/explain/nobody')).status).toBe(404)
    const url = encodeURIComponent('https://forge.example/acme/web/actions/runs/1/job/2')
    expect((await ask(`/explain/${url}`)).status).toBe(404)
  })
})

describe('text that comes from a forge', () => {
  it('is shown as text, never as markup', async () => {
    const { ask, queue } = await createBench()
    const id = await queue(1, { name: inject, repository: `acme/${inject}`, labels: ['self-hosted', inject] })
    for (const path of ['/', `/jobs/${id}`]) {
      const text = await (await ask(path)).text()
      expect(text).not.toContain('<script>alert')
      expect(text).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')
    }
  })
})

function plain(page: string): string {
  return page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
}
