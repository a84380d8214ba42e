import { describe, expect, it } from 'vitest'
import { holdsLocals, holdsPods, ownerOf, podUidOf } from './pod-of.ts'

const uid = '6f1c9a52-58fd-4b0e-9d0a-1f6a3c2b7e11'
const slice = uid.replaceAll('-', '_')
const id = 'c0ffee'.repeat(8)

describe('the owner of a group', () => {
  it.each([
    ['cgroupfs, burstable', `/kubepods/burstable/pod${uid}/${id}`],
    ['cgroupfs, best effort', `/kubepods/besteffort/pod${uid}`],
    ['cgroupfs, guaranteed', `/kubepods/pod${uid}/${id}/init`],
    [
      'systemd, burstable',
      `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${slice}.slice/cri-containerd-${id}.scope`,
    ],
    ['systemd, guaranteed', `/kubepods.slice/kubepods-pod${slice}.slice/crio-${id}.scope`],
    [
      'a kubelet in a slice',
      `/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod${slice}.slice`,
    ],
    ['a kubelet in a group', `/node-1/kubepods/burstable/pod${uid}`],
    ['Kata, all in the pod’s', `/kubepods/burstable/pod${uid}/kata_${id}`],
    [
      'a pod in a pod',
      `/kubepods/burstable/pod${uid}/${id}/kubepods/pod00000000-0000-4000-8000-000000000000`,
    ],
  ])('is derived from its path: %s', (_, path) => {
    expect(ownerOf(path)).toBe(uid)
  })

  it('is a static pod’s too, whose UID has no hyphens', () => {
    expect(podUidOf(`pod${uid.replaceAll('-', '')}`)).toBe(uid.replaceAll('-', ''))
  })

  it('is a local runner’s below the group of a Holdfast', () => {
    expect(ownerOf('/system.slice/holdfast-0123456789ab/linux-1/job')).toBe('linux-1')
    expect(ownerOf('/system.slice/holdfast-0123456789ab')).toBeNull()
  })

  it.each([
    '/',
    '',
    '/system.slice/sshd.service',
    '/podman/x',
    `/x-pod${uid}`,
    '/kubepods/burstable',
    '/podnothing',
  ])('is none for "%s"', (path) => {
    expect(ownerOf(path)).toBeNull()
  })
})

describe('the search for groups', () => {
  it.each([
    'kubepods',
    'burstable',
    'besteffort',
    'kubepods.slice',
    'kubepods-burstable.slice',
    'kubelet-kubepods-besteffort.slice',
  ])('%s holds pods', (name) => {
    expect(holdsPods(name)).toBe(true)
  })
  it.each(['system.slice', 'kubepodsx', `pod${uid}`, 'holdfast-0123456789ab'])('%s holds none', (name) => {
    expect(holdsPods(name)).toBe(false)
  })
  it('a Holdfast’s group holds local runners, and that of its test cluster does not', () => {
    expect(holdsLocals('holdfast-0123456789ab')).toBe(true)
    expect(holdsLocals('holdfast-cluster-suite-1')).toBe(false)
  })
})
