import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createRepository, graphFiles } from './testing/platform-fixture'
import { testFolder } from './testing/test-folder'

// The program of an agent's container, as its image starts it.

const { fresh, remove } = testFolder()
afterAll(remove)

test('a build needs no home folder: package managers keep their files in the folder for temporary ones', () => {
  const repository = createRepository(fresh('repository'))
  repository.commit(graphFiles())
  const at = fresh('container')
  const folder = path.join(at, 'source')
  const settings = path.join(at, 'revision.json')
  mkdirSync(path.join(at, 'tmp'), { recursive: true })
  const commands = { install_command: 'mkdir -p "$(npm config get cache)/x" && touch installed', build_command: 'true' }
  writeFileSync(
    settings,
    JSON.stringify({
      deployment: { id: 'd', name: 'd' },
      revision: { id: 'r', commit: null },
      source: {
        folder,
        config: { repo_url: repository.url, ...commands },
        revision: { repo_ref: 'main', graph_config_path: 'graph.json' },
      },
      ...{ secretNames: [], databaseUrl: 'postgres://none', secret: 'a secret of the test', drainSeconds: 0 },
    }),
  )
  const { status, stdout } = spawnSync(process.execPath, ['.build/container.mjs', 'build'], {
    env: { ...process.env, HOME: '/dev/null', TMPDIR: path.join(at, 'tmp'), PILOTHOUSE_AGENT_SETTINGS: settings },
    encoding: 'utf8',
  })
  expect(stdout).toContain('Build complete')
  expect({ status, isInstalled: existsSync(path.join(folder, 'installed')) }).toEqual({ status: 0, isInstalled: true })
})
