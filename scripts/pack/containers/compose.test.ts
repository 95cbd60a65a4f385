import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../platform/testing/kubernetes/api-server'
import { root } from '../../bootstrap.mjs'
import {
  attempt,
  GIVEN,
  missingDocker,
  NO_RIGHTS,
  newPrefix,
  removeAll,
  rightsOf,
  run,
  say,
  secondsSince,
} from './docker'
import { expectFinished, runToItsEnd, signInAgain, signInFirst, withPage } from './first-run'
import { commandsBelow } from './guide'

// compose.yaml, as docs/operate.md says to use it.

const missing = missingDocker()
const prefix = newPrefix()
const LIMIT_MS = 10 * 60_000
const BUILD_MS = 6 * LIMIT_MS

describe.skipIf(missing)(`compose.yaml in Docker${missing ? `: ${missing}` : ''}`, () => {
  let folder = ''
  let url = ''
  let email = ''
  let recorded = ''
  const [password = '', up = '', ask = ''] = commandsBelow('Docker Compose')
  const as = (command: string) =>
    run(GIVEN ? command.replace('--build ', '') : command, { cwd: folder, env: { COMPOSE_PROJECT_NAME: prefix } })
  /** What the console and its programs have logged. */
  const logged = () => as('docker compose logs --no-log-prefix pilothouse')
  /** The recorded run is there, and another one ends. */
  const goOn = () =>
    withPage(url, async (page) => {
      await signInAgain(page, email)
      await page.goto(recorded)
      await expectFinished(page)
      await runToItsEnd(page)
    })

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-compose-'))
    await run(`git clone --quiet "${root}" "${folder}"`)
    if (GIVEN) await run(`docker tag pilothouse-full:${GIVEN} ${prefix}-pilothouse`)
    const port = await freePort()
    url = `http://localhost:${port}`
    await as(password)
    await as(`printf 'PORT=${port}\\nNEXTAUTH_URL=${url}\\n' >> .env`)
  }, LIMIT_MS)

  afterAll(async () => {
    await attempt('docker compose down --volumes --timeout 5', { cwd: folder, env: { COMPOSE_PROJECT_NAME: prefix } })
    await removeAll(prefix)
    rmSync(folder, { recursive: true, force: true })
  }, LIMIT_MS)

  test(
    'it builds and starts, and leads to the end of the first run',
    async () => {
      const began = Date.now()
      await as(up)
      say(`compose: up after ${secondsSince(began)}`)
      expect(await rightsOf(`${prefix}-pilothouse-1`)).toEqual(NO_RIGHTS)
      await withPage(url, async (page) => {
        email = await signInFirst(page, await as(ask))
        recorded = await runToItsEnd(page)
      })
      say(`compose: the first run ended after ${secondsSince(began)}`)
    },
    BUILD_MS,
  )

  test(
    'down and up keep everything',
    async () => {
      const began = Date.now()
      await as('docker compose down')
      say(`compose: down in ${secondsSince(began)}`)
      const again = Date.now()
      await as(up)
      say(`compose: up again in ${secondsSince(again)}`)
      await goOn()
    },
    LIMIT_MS,
  )

  test(
    'a password that the database does not have is told in clear words, and is in no log',
    async () => {
      const kept = await run('cat .env', { cwd: folder })
      const wrong = 'another0password0than0the0first'
      await as(`sed -i 's/^POSTGRES_PASSWORD=.*/POSTGRES_PASSWORD=${wrong}/' .env`)
      const began = Date.now()
      const { code, output } = await attempt(up.replace('--build ', ''), {
        cwd: folder,
        env: { COMPOSE_PROJECT_NAME: prefix },
      })
      say(`compose: a wrong password is refused after ${secondsSince(began)}`)
      expect(code).not.toBe(0)
      const log = await logged()
      expect(log).toContain('the database does not accept the password of DATABASE_URL')
      const first = /^POSTGRES_PASSWORD=(.*)$/m.exec(kept)?.[1] ?? ''
      for (const text of [output, log]) for (const one of [wrong, first]) expect(text).not.toContain(one)
      await as(`sed -i 's/^POSTGRES_PASSWORD=.*/POSTGRES_PASSWORD=${first}/' .env`)
      await as(up)
      await goOn()
    },
    LIMIT_MS,
  )

  test(
    'a backup is restored into new volumes, as the guide says',
    async () => {
      const commands = commandsBelow('Back up Docker Compose')
      const at = commands.findIndex((one) => one.startsWith('docker compose down'))
      expect(at).toBeGreaterThan(0)
      for (const command of commands.slice(0, at)) await as(command)
      const began = Date.now()
      for (const command of commands.slice(at)) await as(command)
      say(`compose: restored in ${secondsSince(began)}`)
      await goOn()
    },
    LIMIT_MS,
  )
})
