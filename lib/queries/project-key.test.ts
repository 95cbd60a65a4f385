import { hashKey } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { projectKey } from './project-key'
import { projectQuery } from './traces'

test('a project’s name is found under the key that its query has', () => {
  expect(hashKey(projectKey('local', 'p-1'))).toBe(hashKey(projectQuery('local', 'p-1').queryKey))
})
