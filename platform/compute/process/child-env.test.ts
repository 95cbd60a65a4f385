import { expect, test } from 'vitest'
import { childEnvironment } from './child-env'

const env = (
  given: Record<string, string>[] = [],
  tracing: { endpoint: string; apiKey: string } | undefined = { endpoint: 'http://127.0.0.1:1', apiKey: 'ours' },
) => {
  const all = childEnvironment({
    deployment: { id: 'd', name: 'concierge' },
    revision: { id: 'r', commit: null },
    configFile: '/graph.json',
    given,
    tracing,
  })
  return Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith('LANGSMITH_')))
}
const ours = { LANGSMITH_ENDPOINT: 'http://127.0.0.1:1', LANGSMITH_API_KEY: 'ours', LANGSMITH_PROJECT: 'concierge' }

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['nothing said: to the platform', {}, { ...ours, LANGSMITH_TRACING: 'true' }],
  ['tracing switched off', { LANGSMITH_TRACING: 'false' }, { ...ours, LANGSMITH_TRACING: 'false' }],
  ['the project cannot be changed', { LANGSMITH_PROJECT: 'other' }, { ...ours, LANGSMITH_TRACING: 'true' }],
  [
    'another server gets no key of ours',
    { LANGSMITH_ENDPOINT: 'https://traces.example.com', LANGSMITH_TRACING: 'true' },
    { LANGSMITH_ENDPOINT: 'https://traces.example.com', LANGSMITH_TRACING: 'true', LANGSMITH_PROJECT: 'concierge' },
  ],
  [
    'a key for nobody knows whom: nothing is sent',
    { LANGSMITH_API_KEY: 'theirs' },
    { LANGSMITH_API_KEY: 'theirs', LANGSMITH_TRACING: 'false', LANGSMITH_PROJECT: 'concierge' },
  ],
])('%s', (_, secrets, expected) => {
  expect(env([{}, secrets])).toEqual(expected)
})

test('without an intake nothing is traced', () => {
  const given = childEnvironment({
    deployment: { id: 'd', name: 'n' },
    revision: { id: 'r', commit: null },
    configFile: 'c',
    given: [],
  })
  expect(given.LANGSMITH_TRACING).toBe('false')
})

test('a graph knows where its secrets are set, if a console is there', () => {
  const input = {
    ...{ deployment: { id: 'd', name: 'n' }, revision: { id: 'r', commit: null }, configFile: 'c' },
    given: [{ PILOTHOUSE_SECRETS_URL: 'theirs' }],
  }
  const page = 'http://localhost:3000/local/deployments/d/settings/secrets'
  expect(childEnvironment({ ...input, secretsPage: page }).PILOTHOUSE_SECRETS_URL).toBe(page)
  expect(childEnvironment({ ...input, given: [] })).not.toHaveProperty('PILOTHOUSE_SECRETS_URL')
})
