import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { NewDirectServer } from './direct-servers'
import { ControlPlaneDraft, NewWorkspace, UpstreamUrl, WorkspaceChange } from './workspace-settings'

const direct = { kind: 'direct', slug: 'team-1', name: 'Team', dialect: 'auto', allowedOrigins: [] }
const plane = { ...direct, kind: 'control-plane', baseUrl: 'https://api.example.com' }
const isValid = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

describe('a workspace', () => {
  test('has keys and a tracing address only if they are given', () => {
    expect(NewWorkspace.parse(plane)).toEqual({ ...plane, keys: {} })
    const full = {
      ...plane,
      keys: { apiKey: 'k', tenantId: 't', bearer: 'b', agentApiKey: 'a' },
      secretNames: 'admins',
      traces: { url: 'https://traces.example.com', apiKey: 'k', tenantId: 't' },
    }
    expect(NewWorkspace.parse(full)).toEqual(full)
    expect(NewWorkspace.parse({ ...direct, traces: null })).toEqual({ ...direct, traces: null })
  })

  test.each(['abc', 'a1b', 'a-b', 'a'.repeat(40)])('can be called %s', (slug) => {
    expect(isValid(NewWorkspace, { ...direct, slug })).toBe(true)
  })
  test.each([
    ...['ab', 'a'.repeat(41), '1ab', '-ab', 'ab-', 'Abc', 'a_b', 'a b', 'abc\n', ''],
    ...['local', 'default', 'api', 'healthz', 'readyz', 'metrics', 'docs', 'sign-in', 'sign-out', 'account', 'new'],
    ...['admin', 'console', 'static', 'public', 'assets', 'icon', 'opengraph-image'],
  ])('cannot be called %j', (slug) => {
    expect(isValid(NewWorkspace, { ...direct, slug })).toBe(false)
  })

  test.each([
    [{ name: '' }, false],
    [{ name: '  ' }, false],
    [{ name: 'x'.repeat(81) }, false],
    [{ name: 'x'.repeat(80) }, true],
    [{ dialect: 'other' }, false],
    [{ dialect: 'langgraph' }, true],
    [{ secretNames: 'nobody' }, false],
    [{ allowedOrigins: Array(51).fill('https://a.example.com') }, false],
    [{ allowedOrigins: Array(50).fill('https://a.example.com') }, true],
    [{ extra: 1 }, false],
    [{ baseUrl: 'https://api.example.com' }, false],
    [{ keys: {} }, false],
    [{ traces: { url: 'https://t.example.com', extra: 1 } }, false],
    [{ traces: { apiKey: 'k' } }, false],
  ])('with %j is valid: %j', (more, valid) => {
    expect(isValid(NewWorkspace, { ...direct, ...more })).toBe(valid)
  })

  test('of a control plane needs its address, and keeps no unknown keys', () => {
    expect(isValid(NewWorkspace, { ...plane, baseUrl: undefined })).toBe(false)
    expect(isValid(NewWorkspace, { ...plane, keys: { password: 'x' } })).toBe(false)
    expect(isValid(NewWorkspace, { ...plane, extra: 1 })).toBe(false)
  })
})

test.each([
  ['https://Agents.Example.com', 'https://agents.example.com'],
  ['https://*.example.com/', 'https://*.example.com'],
  [' http://10.0.0.1:8080 ', 'http://10.0.0.1:8080'],
])('the origin %j is stored as %s', (given, stored) => {
  expect(WorkspaceChange.parse({ allowedOrigins: [given] })).toEqual({ allowedOrigins: [stored] })
})
test.each([
  '10.0.0.0/8',
  '10.0.0.1',
  'example.com',
  'https://example.com/path',
  'https://example.com?a',
  'https://user@example.com',
  'https://example.com#a',
  'ftp://example.com',
  'ftp://https://example.com',
  'https://exa\tmple.com',
  'fe80::/10',
  'https://example.com:99999',
  'https://',
  '*',
  '',
])('%j is no origin', (origin) => {
  expect(isValid(WorkspaceChange, { allowedOrigins: [origin] })).toBe(false)
})

test.each([
  ['https://api.example.com/', 'https://api.example.com'],
  [' http://API.example.com:80/a/b// ', 'http://api.example.com/a/b'],
  ['https://api.example.com:8443/host', 'https://api.example.com:8443/host'],
])('the address %j is stored as %s', (given, stored) => {
  expect(UpstreamUrl.parse(given)).toBe(stored)
})
test.each([
  'api.example.com',
  'ftp://api.example.com',
  'xhttps://api.example.com',
  'https://user@api.example.com',
  'https://:secret@api.example.com',
  'https://api.example.com?a=1',
  'https://api.example.com#a',
  `https://api.example.com/${'x'.repeat(2_000)}`,
  '',
])('%# is no address', (given) => {
  expect(isValid(UpstreamUrl, given)).toBe(false)
})

test('only what is given changes, and keys can be removed', () => {
  expect(WorkspaceChange.parse({})).toEqual({})
  expect(WorkspaceChange.parse({ keys: null, traces: null, name: ' New ' })).toEqual({
    keys: null,
    traces: null,
    name: 'New',
  })
  for (const wrong of [{ slug: 'x' }, { kind: 'direct' }, { name: null }, { baseUrl: null }, { keys: { extra: 'x' } }])
    expect(isValid(WorkspaceChange, wrong)).toBe(false)
})

test.each([
  ['key-1', true],
  ['!~', true],
  ['k'.repeat(4_000), true],
  ['k'.repeat(4_001), false],
  ['', false],
  ['a b', false],
  ['a\nb', false],
  ['é', false],
])('%# is a key or not', (apiKey, valid) => {
  expect(isValid(WorkspaceChange, { keys: { apiKey } })).toBe(valid)
  expect(isValid(NewDirectServer, { name: 'n', url: 'https://a.example.com', apiKey })).toBe(valid)
})

test('a draft needs an address and a dialect', () => {
  const draft = { baseUrl: 'https://api.example.com', dialect: 'auto' }
  expect(ControlPlaneDraft.parse(draft)).toEqual(draft)
  expect(ControlPlaneDraft.parse({ ...draft, slug: 's', keys: {} })).toEqual({ ...draft, slug: 's', keys: {} })
  for (const wrong of [
    { ...draft, slug: 's'.repeat(81) },
    { ...draft, extra: 1 },
    { dialect: 'auto' },
    { baseUrl: draft.baseUrl },
  ])
    expect(isValid(ControlPlaneDraft, wrong)).toBe(false)
})

test('a server has a name and an address', () => {
  const server = { name: ' Agent ', url: 'https://a.example.com/' }
  expect(NewDirectServer.parse(server)).toEqual({ name: 'Agent', url: 'https://a.example.com' })
  for (const wrong of [
    { ...server, name: ' ' },
    { ...server, name: 'x'.repeat(81) },
    { ...server, extra: 1 },
    { name: 'a' },
  ])
    expect(isValid(NewDirectServer, wrong)).toBe(false)
})
