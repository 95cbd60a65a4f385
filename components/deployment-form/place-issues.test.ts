import { expect, test } from 'vitest'
import type { ErrorView, FieldError } from '@/lib/errors'
import { placeIssues } from './place-issues'

const secrets = [
  { id: 7, name: 'A', value: '1' },
  { id: 9, name: 'B', value: '2' },
]
const error = (fields: FieldError[], message = 'Some fields are invalid.'): ErrorView => ({
  code: 'invalid',
  message,
  fields,
  requestId: 'r',
})

test('each field error goes to its field, a secret by position or name, in either dialect', () => {
  const { issues, rest } = placeIssues(
    error([
      { path: ['name'], message: 'taken' },
      { path: ['source_config', 'listener_config', 'k8s_namespace'], message: 'none here' },
      { path: ['source_revision_config', `lang${'graph_config_path'}`], message: 'no file' },
      { path: ['source_config', 'resource_spec', 'cpu'], message: 'too much' },
      { path: ['secrets', 1, 'name'], message: 'reserved' },
      { path: ['secrets', 'A', 'value'], message: 'Refused by the server' },
    ]),
    secrets,
  )
  expect(rest).toBeUndefined()
  expect(issues).toEqual({
    name: 'taken',
    namespace: 'none here',
    configPath: 'no file',
    resourceSpec: 'cpu: too much',
    'secret 9': 'reserved',
    'secret 7': 'Refused by the server',
  })
})

test('errors without a field are shown once, next to the button', () => {
  const { issues, rest } = placeIssues(
    error([
      { path: ['name'], message: 'taken' },
      { path: ['future'], message: 'odd' },
    ]),
    secrets,
  )
  expect(issues).toEqual({ name: 'taken' })
  expect(rest).toMatchObject({ fields: [{ path: ['future'], message: 'odd' }], requestId: 'r' })
  const refused = { ...error([], 'The server is down.'), code: 'upstream_failed' as const }
  expect(placeIssues(refused, secrets)).toEqual({ issues: {}, rest: refused })
})

test.each([
  ['source_config.listener_id is required for a workspace that has listeners.', 'listener'],
  ['Integration 1 not found.', 'integration'],
  ['Image example/agent:9 is not in the store.', 'image'],
])('an error message goes to the field that it names: %s', (message, field) => {
  expect(placeIssues(error([], message), secrets)).toEqual({ issues: { [field]: message }, rest: undefined })
})
