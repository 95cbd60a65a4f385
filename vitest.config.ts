import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname
/** Tests without mocked modules, environment changes or global state; those in one worker share their modules. */
const shared = [
  'lib/*.test.ts',
  'lib/{contracts,format,json,lists,live,stream,traces}/**/*.test.ts',
  'platform/{agent-server,control-plane,images,traces}/**/*.test.ts',
  'components/**/*.test.ts',
]

/**
 * Tests for which it is enough that our own modules are loaded again for each file, and that `forget.ts` undoes what a file
 * has changed: loading the packages is most of their cost.
 */
const kept = [
  'app/**/*.test.ts',
  'lib/{actions,queries}/**/*.test.ts',
  'lib/server/*.test.ts',
  'lib/server/{access,alerts,audit,http-api,inbox,process,protocols,records,relay,upstream}/**/*.test.ts',
  'lib/server/edits/!(secrets-property).test.ts', // mocks what the rest of the room tests
  'lib/server/recorder/**/!(crash).test.ts', // starts a console of its own
  'lib/server/resources/**/!(fleet-numbers|hanging-server).test.ts', // wait for slow servers for a few seconds
  'lib/server/live/!(exactness).test.ts', // guards all servers of its process
  'platform/{builder,compute/kubernetes,gateway,kernel}/**/*.test.ts',
]

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root } },
  test: {
    // Generous, for real processes and databases on a busy machine.
    testTimeout: 20_000,
    maxWorkers: 3, // on two cores: many tests wait for processes and leases
    // Some tests kill processes and wait for leases, which can fail on a busy machine.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 30_000,
    globalSetup: 'scripts/vitest/global-setup.mjs',
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          setupFiles: 'scripts/vitest/quiet-log.ts',
          include: ['{lib,platform,scripts,app,bench}/**/*.test.{ts,mjs}'],
          exclude: [...shared, ...kept, 'platform/samples/**', 'bench/rivals/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'kept',
          environment: 'node',
          setupFiles: ['scripts/vitest/forget.ts', 'scripts/vitest/quiet-log.ts'],
          include: kept,
          isolate: false,
        },
      },
      // Loading the same modules for each file is half of the cost of these tests.
      { extends: true, test: { name: 'shared', environment: 'node', include: shared, isolate: false } },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          setupFiles: ['scripts/vitest/forget.ts', 'scripts/vitest/dom-setup.ts'],
          include: ['components/**/*.test.tsx'],
          isolate: false,
        },
      },
    ],
  },
})
