import path from 'node:path'
import { defineConfig } from 'vitest/config'

const root = path.resolve(import.meta.dirname, '../..')

const listed = (value = '') => value.split(' ').filter(Boolean)

/** The tests that a mutation run names, in one project: its runner reloads them for each change. */
export default defineConfig({
  root,
  resolve: { alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root } },
  test: {
    include: listed(process.env.MUTATE_TESTS),
    exclude: ['**/node_modules/**', 'platform/samples/**', 'test-results/**', ...listed(process.env.MUTATE_WITHOUT)],
    environment: 'node',
    setupFiles: [path.join(root, 'scripts/mutate/forget.ts'), path.join(root, 'scripts/vitest/quiet-log.ts')],
    testTimeout: 40_000,
    hookTimeout: 120_000,
  },
})
