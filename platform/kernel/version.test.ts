import { expect, test } from 'vitest'
import manifest from '@/package.json'
import { PLATFORM_VERSION } from './version'

test('the version of the platform is that of the package', () => {
  expect(PLATFORM_VERSION).toBe(manifest.version)
})
