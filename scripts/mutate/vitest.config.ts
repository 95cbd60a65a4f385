import path from 'node:path'
import { defineConfig } from 'vitest/config'

const root = path.resolve(import.meta.dirname, '../..')

/** The tests that a mutation run names, in one project: its runner reloads them for each change. */
export default defineConfig({
  root,
  resolve: { alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root } },
  test: {
    include: (process.env.MUTATE_TESTS ?? '').split(' ').filter(Boolean),
    exclude: ['**/node_modules/**', 'platform/samples/**', 'test-results/**'],
    environment: 'node',
    setupFiles: path.join(root, 'scripts/vitest/quiet-log.ts'),
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
