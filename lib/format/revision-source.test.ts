import { expect, test } from 'vitest'
import { revisionSource } from './revision-source'

const sha = '1234567890abcdef'
test.each([
  [{ repo_commit_sha: sha }, { message: 'Fix the prompt\nLonger text' }, '12345678 Fix the prompt'],
  [{ repo_commit_sha: sha, repo_ref: 'main' }, null, '12345678'],
  [{ image_uri: 'registry/agent:1' }, null, 'registry/agent:1'],
  [{ repo_ref: 'main' }, null, 'main'],
  [{}, null, undefined],
])('%j with %j was built of %s', (config, commit, expected) => {
  expect(revisionSource({ source_revision_config: config, commit })).toBe(expected)
})
