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
