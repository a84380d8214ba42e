import { describe, expect, it } from 'vitest'
import { compareVersions, imageRepository, imageTag } from './version.ts'

describe('compareVersions', () => {
  it.each([
    ['2.329.0', '2.331.0', -1],
    ['v0.10.0', '0.9.4', 1],
    ['1.4', '1.4.0', 0],
    ['1.4.0-rc.1', '1.4.0', -1],
  ])('compares %s with %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b) ?? Number.NaN)).toBe(sign)
  })
  it.each([
    ['af8204b1', '1.4.0'],
    ['latest', '1.4.0'],
    ['1.4.0-rc.1', '1.4.0-beta'],
    ['2', '1'],
  ])('gives %s and %s no order', (a, b) => {
    expect(compareVersions(a, b)).toBeNull()
  })
})

describe('the name of an image', () => {
  it.each([
    ['ghcr.io/actions/actions-runner:2.331.0', 'ghcr.io/actions/actions-runner', '2.331.0'],
    ['localhost:5000/runner', 'localhost:5000/runner', null],
    ['localhost:5000/runner:1.0@sha256:00', 'localhost:5000/runner', '1.0'],
    ['runner@sha256:00', 'runner', null],
  ])('%s has the repository %s and the tag %s', (image, repository, tag) => {
    expect([imageRepository(image), imageTag(image)]).toEqual([repository, tag])
  })
})
