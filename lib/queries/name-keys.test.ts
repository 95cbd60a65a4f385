import { hashKey } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { deploymentQuery } from './deployments'
import { deploymentKey, projectKey } from './name-keys'
import { projectQuery } from './traces'

test('names are found under the keys that their queries have', () => {
  expect(hashKey(deploymentKey('local', 'd-1'))).toBe(hashKey(deploymentQuery('local', 'd-1').queryKey))
  expect(hashKey(projectKey('local', 'p-1'))).toBe(hashKey(projectQuery('local', 'p-1').queryKey))
})
