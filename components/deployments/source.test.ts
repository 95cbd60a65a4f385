import { expect, test } from 'vitest'
import { sourceOf } from './source'

const row = { repo: null, ref: null, image: null, url: 'https://agent.example.com' }

test('the address of a deployment is its source only if a server was added by it', () => {
  expect(sourceOf({ ...row, source: 'external' })).toBe('https://agent.example.com')
  expect(sourceOf({ ...row, source: 'internal_source' })).toBe('')
  expect(
    sourceOf({ ...row, source: 'github', repo: 'https://git.example.com/a/harbour.git', ref: 'refs/tags/v1' }),
  ).toBe('harbour · tag v1')
})
