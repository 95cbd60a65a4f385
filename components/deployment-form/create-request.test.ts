import { expect, test } from 'vitest'
import { createRequest, masked } from './create-request'
import { type CreateValues, NO_VALUES, type SecretDraft } from './create-values'

const NONE = { isRequired: false, takesNamespace: false }
const LISTENER = { isRequired: true, takesNamespace: true }
const github: CreateValues = {
  ...NO_VALUES,
  name: 'agent',
  integration: '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001',
  repository: 'https://example.com/agent',
  ref: 'main',
  configPath: 'graph.json',
}
const docker: CreateValues = { ...github, source: 'external_docker', image: 'example/agent:1', listener: 'one' }
const secret = (id: number, name: string, value = 'v'): SecretDraft => ({ id, name, value })
const issuesOf = (values: CreateValues, secrets: SecretDraft[] = [], rules = NONE) => {
  const request = createRequest(values, secrets, rules)
  return request.ok ? {} : request.issues
}
const bodyOf = (values: CreateValues, secrets: SecretDraft[] = [], rules = NONE) => {
  const request = createRequest(values, secrets, rules)
  return request.ok ? request.body : expect.unreachable(JSON.stringify(request.issues))
}

test('only the fields of the chosen source are sent', () => {
  const typed = {
    image: 'left/over',
    listener: 'one',
    namespace: 'left',
    customUrl: 'left',
    resourceSpec: { spec: { cpu: 99 } },
  }
  expect(bodyOf({ ...github, ...typed, installCommand: ' npm ci ' })).toEqual({
    name: 'agent',
    source: 'github',
    source_config: {
      integration_id: github.integration,
      repo_url: 'https://example.com/agent',
      deployment_type: 'dev',
      build_on_push: true,
      install_command: 'npm ci',
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: [],
  })
  expect(bodyOf({ ...docker, namespace: 'team', resourceSpec: { spec: { cpu: 0.5 } } }, [], LISTENER)).toEqual({
    name: 'agent',
    source: 'external_docker',
    source_config: {
      listener_id: 'one',
      listener_config: { k8s_namespace: 'team' },
      resource_spec: { cpu: 0.5 },
    },
    source_revision_config: { image_uri: 'example/agent:1' },
    secrets: [],
  })
})

test('build on push is off for tags, but not for branches that look like tags', () => {
  expect(bodyOf({ ...github, ref: 'refs/tags/v1' }).source_config.build_on_push).toBe(false)
  expect(bodyOf({ ...github, ref: 'v1' }).source_config.build_on_push).toBe(true)
})

test('a namespace is sent only for listeners that accept one', () => {
  expect(bodyOf({ ...docker, namespace: 'team' }).source_config).not.toHaveProperty('listener_config')
})

test('missing and invalid values are reported at their field', () => {
  expect(Object.keys(issuesOf({ ...NO_VALUES, source: 'github' })).sort()).toEqual(
    ['configPath', 'integration', 'name', 'ref', 'repository'].sort(),
  )
  expect(Object.keys(issuesOf({ ...NO_VALUES, source: 'external_docker' }, [], LISTENER)).sort()).toEqual(
    ['image', 'listener', 'name'].sort(),
  )
  expect(
    issuesOf({ ...github, name: 'a\u202eb', installCommand: 'a; b', repository: 'https://me:key@example.com/x' }),
  ).toEqual({
    name: expect.stringContaining('invisible'),
    installCommand: expect.stringContaining('";"'),
    repository: expect.stringContaining('password'),
  })
  expect(issuesOf({ ...docker, customUrl: 'example.com' })).toHaveProperty('customUrl')
})

test.each([
  [{ cpu: 99 }, 'cpu: At most 8'],
  [{ cpu: 2, cpu_limit: 1 }, 'cpu_limit: cpu_limit must not be below cpu'],
  [{ volume_mounts: [{ name: 'none' }] }, 'volume_mounts.0.name: No volume is named none'],
  [{ future: 1 }, 'future: Unknown field'],
])('rejects the resource spec %j', (spec, message) => {
  expect(issuesOf({ ...docker, resourceSpec: { spec } })).toEqual({ resourceSpec: message })
})

test('an empty resource spec is not sent, and text that is not valid is not passed over', () => {
  expect(bodyOf(docker).source_config).not.toHaveProperty('resource_spec')
  const textProblem = { line: 2, column: 5, message: 'Unexpected end.' }
  const { resourceSpec } = issuesOf({ ...docker, resourceSpec: { spec: { cpu: 1 }, textProblem } })
  expect(resourceSpec).toContain('line 2, column 5')
})

test('secrets: names and values are checked, empty lines are ignored, and the review shows no value', () => {
  const drafts = [
    secret(1, 'A', 'canary'),
    secret(2, '', ''),
    secret(3, 'POSTGRES_URI'),
    secret(4, 'A'),
    secret(5, 'B', '*****'),
  ]
  expect(Object.keys(issuesOf(github, drafts)).sort()).toEqual(['secret 3', 'secret 4', 'secret 5'])
  const body = bodyOf(github, drafts.slice(0, 2))
  expect(body.secrets).toEqual([{ name: 'A', value: 'canary' }])
  expect(JSON.stringify(masked(body))).not.toContain('canary')
})
