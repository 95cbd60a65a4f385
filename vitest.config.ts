import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname
/** Tests that mock no module, set no environment and keep no global state: those of one worker share its modules. */
const shared = [
  'lib/*.test.ts',
  'lib/{contracts,format,json,lists,live,stream,traces}/**/*.test.ts',
  'platform/{agent-server,control-plane,images,traces}/**/*.test.ts',
  'components/**/*.test.ts',
]

/** Tests of components that mock modules: in a worker with others, the mock of one would be another's too. */
const mocking = ['components/{auth,shell}/*.test.tsx', 'components/**/{error-notice,use-run-view}.test.tsx']

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { 'server-only': path.join(root, 'scripts/empty.mjs'), '@': root } },
  test: {
    // Real processes and databases on a busy machine: the time-out only ends what hangs.
    testTimeout: 20_000,
    maxWorkers: 2,
    // Some tests kill processes and wait for leases; on a machine that does other work too, one may miss its moment once.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 30_000,
    globalSetup: 'scripts/vitest-setup.mjs',
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          setupFiles: 'scripts/quiet-log.ts',
          include: ['{lib,platform,scripts,app}/**/*.test.{ts,mjs}'],
          exclude: [...shared, 'platform/samples/**'],
        },
      },
      // Loading the same modules again for each file is half of what these cost.
      { extends: true, test: { name: 'shared', environment: 'node', include: shared, isolate: false } },
      {
        extends: true,
        test: {
          name: 'dom',
          environment: 'jsdom',
          include: ['components/**/*.test.tsx'],
          exclude: mocking,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'dom, alone', environment: 'jsdom', include: mocking } },
    ],
  },
})
