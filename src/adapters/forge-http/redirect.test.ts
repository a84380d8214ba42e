import { describe, expect, it } from 'vitest'
import { redirectTarget } from './index.ts'

const from = 'https://forge.example/api/v1/repos/old/name'
const targetOf = (status: number, location: string, method: string) =>
  redirectTarget(new Response(null, { status, headers: { location } }), from, method)

describe('a redirect', () => {
  it.each([
    [301, 'GET'],
    [302, 'GET'],
    [307, 'POST'],
    [308, 'DELETE'],
  ])('%i of a %s is followed on its own origin', (status, method) => {
    expect(targetOf(status, '/api/v1/repos/new/name', method)?.href).toBe(
      'https://forge.example/api/v1/repos/new/name',
    )
  })

  it.each([
    [200, 'GET'],
    [303, 'GET'],
    [301, 'POST'],
    [302, 'DELETE'],
  ])('%i of a %s is not followed', (status, method) => {
    expect(targetOf(status, '/api/v1/repos/new/name', method)).toBeNull()
  })

  it('to another origin is refused: the token goes to its own forge alone', () => {
    expect(() => targetOf(301, 'https://other.example/', 'GET')).toThrow(
      'it led to another host: other.example',
    )
    expect(() => targetOf(301, 'http://forge.example/', 'GET')).toThrow('another host')
  })

  it('to no address is refused', () => {
    expect(() => targetOf(301, 'https://', 'GET')).toThrow('it answered 301 and led to no address')
  })
})
