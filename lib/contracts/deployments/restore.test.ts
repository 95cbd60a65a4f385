import { expect, test } from 'vitest'
import { restoreCaveat, restoreRequest } from './restore'

const config = (more: object) => ({
  repo_ref: null,
  graph_config_path: null,
  image_uri: null,
  repo_commit_sha: null,
  ...more,
})
const github = {
  source: 'github',
  source_config: { build_on_push: false },
  source_revision_config: config({ repo_ref: 'dev' }),
}

test("requests the old revision's source, never its commit", () => {
  const old = {
    source: 'github',
    source_revision_config: config({ repo_ref: 'main', graph_config_path: 'graph.json', repo_commit_sha: 'abc' }),
  }
  expect(restoreRequest(old, github)).toEqual({
    body: { source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' } },
  })
  expect(restoreCaveat(old)).toContain('newest commit of main')
})

test('requests the image of an image, and warns when a tag may have moved', () => {
  const old = { source: 'external_docker', source_revision_config: config({ image_uri: 'registry/agent:1' }) }
  const now = { source: 'external_docker', source_revision_config: config({ image_uri: 'registry/agent:2' }) }
  expect(restoreRequest(old, now)).toEqual({ body: { source_revision_config: { image_uri: 'registry/agent:1' } } })
  expect(restoreCaveat(old)).toContain('digest')
  const pinned = { ...old, source_revision_config: config({ image_uri: 'registry/agent@sha256:0' }) }
  expect(restoreCaveat(pinned)).toBeUndefined()
})

test('overrides the source only where the server accepts that', () => {
  const old = { source: 'github', source_revision_config: config({ repo_ref: 'main' }) }
  expect(restoreRequest(old, { ...github, source: 'internal_source' })).toMatchObject({
    body: { revision_source: 'github' },
  })
  const image = { source: 'external_docker', source_revision_config: config({ image_uri: 'a' }) }
  expect(restoreRequest(image, github)).toHaveProperty('problem')
})

test('refuses in advance what the server would refuse, and a record without a source', () => {
  const tag = { source: 'github', source_revision_config: config({ repo_ref: 'refs/tags/v1' }) }
  expect(restoreRequest(tag, { ...github, source_config: { build_on_push: true } })).toHaveProperty('problem')
  expect(restoreRequest(tag, github)).toHaveProperty('body')
  expect(restoreRequest({ source: 'github', source_revision_config: config({}) }, github)).toHaveProperty('problem')
})

test('a ref or config path is not restored from a source that has none', () => {
  const image = config({ image_uri: 'a', graph_config_path: 'graph.json', repo_ref: 'main' })
  const now = { source: 'internal_docker' }
  expect(restoreRequest({ source: 'internal_docker', source_revision_config: image }, now)).toEqual({
    body: { source_revision_config: { image_uri: 'a' } },
  })
})

test('a record without its source is one of the deployment’s own', () => {
  const old = { source: null, source_revision_config: config({ repo_ref: 'main' }) }
  expect(restoreRequest(old, github)).toEqual({ body: { source_revision_config: { repo_ref: 'main' } } })
})

test('a source that cannot be overridden is named', () => {
  const image = { source: 'external_docker', source_revision_config: config({ image_uri: 'a' }) }
  expect(restoreRequest(image, github)).toEqual({
    problem: 'It was created from external_docker, and the deployment now uses github.',
  })
})

test('a tag gives the same result, a branch with a similar name may not', () => {
  const caveat = (repo_ref: string) => restoreCaveat({ source: 'github', source_revision_config: config({ repo_ref }) })
  expect(caveat('refs/tags/v1')).toBeUndefined()
  expect(caveat('my/refs/tags/')).toContain('newest commit')
})
