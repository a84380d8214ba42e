import { spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../../test/support/temporary.ts'
import type { PodManifest } from '../pod.ts'
import { buildPod } from '../testing/build-pod.ts'
import { anOrder, aPlan, withSpec } from '../testing/plans.ts'

const checkOf = ({ spec }: PodManifest) => spec.initContainers.find(({ name }) => name === 'check')

describe('the check before the poller', () => {
  it('is the runner of the merged template, without its program, its secrets and who watches it', () => {
    const runner = {
      name: 'runner',
      workingDir: '/w',
      imagePullPolicy: 'Always',
      ports: [{ containerPort: 1 }],
      envFrom: [{ secretRef: { name: 's' } }],
      env: [{ name: 'A', value: 'b' }],
      volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
      securityContext: { runAsUser: 3000 },
      readinessProbe: { exec: { command: ['true'] } },
      lifecycle: { postStart: { exec: { command: ['true'] } } },
    }
    const pod = buildPod(withSpec({ containers: [runner], volumes: [{ name: 'cache', emptyDir: {} }] }))
    const check = checkOf(pod)
    expect(Object.keys(check ?? {}).toSorted()).toEqual([
      ...['command', 'env', 'envFrom', 'image', 'imagePullPolicy', 'name', 'resources', 'securityContext'],
      ...['terminationMessagePolicy', 'volumeMounts', 'workingDir'],
    ])
    expect(check).toMatchObject({
      workingDir: '/w',
      imagePullPolicy: 'Always',
      envFrom: runner.envFrom,
      securityContext: { runAsUser: 3000, allowPrivilegeEscalation: false },
      volumeMounts: runner.volumeMounts,
    })
    expect(check?.resources).toEqual(pod.spec.containers[0]?.resources)
  })

  it('is not there where the image starts by itself, nor where one container does all', () => {
    expect(checkOf(buildPod(anOrder({ plan: aPlan({ command: null }) })))).toBeUndefined()
    expect(checkOf(buildPod(anOrder({ plan: aPlan({ shape: 'single' }) })))).toBeUndefined()
  })

  it('says nothing that the kubelet would read as a variable', () => {
    expect(checkOf(buildPod(anOrder()))?.command?.join(' ')).not.toContain('$(')
  })
})

describe.each(['dash', 'busybox sh', 'bash --posix'])('the program of the check under %s', (shell) => {
  const [first = '', ...rest] = shell.split(' ')
  const isHere = spawnSync(first, [...rest, '-c', 'true']).status === 0
  let folder: string
  beforeAll(async () => {
    const made = await temporaryFolder('holdfast-check-')
    folder = made.path
    await writeFile(path.join(folder, 'good'), '#!/bin/sh\n')
    await chmod(path.join(folder, 'good'), 0o755)
    await writeFile(path.join(folder, 'plain'), '')
    await mkdir(path.join(folder, 'folder'))
    return () => made[Symbol.asyncDispose]()
  })

  function check(program: string) {
    const pod = buildPod(anOrder({ plan: aPlan({ command: [program] }) }))
    const [, ...given] = checkOf(pod)?.command ?? []
    const env = { PATH: `${folder}:/usr/bin:/bin` }
    const { status, stderr, stdout } = spawnSync(first, [...rest, ...given], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'], // with an open input bash takes itself for a login
    })
    return { status, output: `${stdout}${stderr}` }
  }

  it.skipIf(!isHere).each(['good', './good', 'sh', '/bin/sh'])('finds %s', (program) => {
    expect(check(program)).toEqual({ status: 0, output: '' })
  })

  it.skipIf(!isHere).each<[string, number, string]>([
    ['/no/such/program', 127, 'got none at that path'],
    ['./nothing', 127, 'got none at that path'],
    ['no-such-program', 127, 'got none in PATH'],
    ['$(reboot) "; exit 0', 127, 'got none in PATH'],
    ['./plain', 126, 'may not execute'],
    ['./folder', 126, 'got a folder'],
  ])('refuses %s with %i, in one line', (program, status, words) => {
    const found = check(program)
    expect(found.status).toBe(status)
    expect(found.output).toContain(words)
    expect(found.output).toMatch(
      /^holdfast check: expected the program .* image holdfast.test\/runner:1, got .*\.\n$/,
    )
  })
})
