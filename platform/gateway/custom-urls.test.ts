import { expect, test } from 'vitest'
import { CustomUrls } from './custom-urls'

const all = [
  { id: 'root', url: 'https://agents.example.com' },
  { id: 'below', url: 'https://agents.example.com/one/' },
  { id: 'port', url: 'http://agents.example.com:8080' },
  { id: 'broken', url: 'agents' },
]

test.each<[string, Record<string, string>, string | undefined, string?]>([
  ['/threads?x=/one', { host: 'agents.example.com' }, 'root', ''],
  ['/one/threads', { host: 'Agents.Example.com:443', 'x-forwarded-proto': 'https' }, 'below', '/one'],
  ['/one?x', { host: 'agents.example.com' }, 'below', '/one'],
  ['/oneself', { host: 'agents.example.com' }, 'root', ''],
  ['/one', { host: 'platform', 'x-forwarded-host': 'agents.example.com' }, 'below', '/one'],
  ['/', { host: 'agents.example.com:8080' }, 'port', ''],
  ['/', { host: 'other.example.com' }, undefined],
  ['/', {}, undefined],
  // The platform's own paths stay its own, or a deployment could answer for it.
  ['/v2/deployments', { host: 'agents.example.com' }, undefined],
  ['/agents/x/ok', { host: 'agents.example.com' }, undefined],
])('%s with %o is for deployment %s', async (url, headers, id, prefix) => {
  const urls = new CustomUrls(async () => all)
  await urls.refresh()
  expect(urls.find({ url, headers })).toEqual(id && { id, prefix })
})

test('an address that is taken or leads to the platform is refused', async () => {
  const urls = new CustomUrls(async () => all)
  await urls.refresh()
  const problem = (url: string, id = 'new') =>
    urls.problemOf(id, url, ['http://127.0.0.1:4000', 'https://p.example.com'])
  expect(problem('https://agents.example.com/one')).toBe('Deployment below has this address')
  expect(problem('https://agents.example.com/one', 'below')).toBeUndefined()
  expect(problem('https://agents.example.com/two')).toBeUndefined()
  for (const own of ['http://127.0.0.1:4000/', 'https://p.example.com/one'])
    expect(problem(own)).toMatch(/platform itself/)
  expect(problem('https://p.example.com/agents/new')).toBeUndefined()
})
