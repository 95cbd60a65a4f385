import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../platform/testing/kubernetes/api-server'
import { root } from '../../bootstrap.mjs'
import { IMAGES } from '../release-files.mjs'
import {
  envOf,
  GIVEN,
  healthy,
  inspect,
  missingDocker,
  NO_RIGHTS,
  newPrefix,
  removeAll,
  rightsOf,
  run,
  say,
  secondsSince,
  secret,
  stop,
} from './docker'
import { expectFinished, runToItsEnd, signInAgain, signInFirst, withPage } from './first-run'
import { adapted, commandsBelow, RIGHTS } from './guide'

// Every image of the Dockerfile, in the way that docs/operate.md says to use it.

const missing = missingDocker()
const prefix = newPrefix()
const network = `${prefix}-network`
const imageOf = (target: string) => (GIVEN ? `pilothouse-${target}:${GIVEN}` : `${prefix}-${target}`)
const PASSWORD = secret().replace(/\W/g, '')
const databaseUrl = (name: string) => `postgres://pilothouse:${PASSWORD}@${prefix}-database:5432/${name}`
const LIMIT_MS = 10 * 60_000
const BUILD_MS = 6 * LIMIT_MS

/** Names and versions of the packages of an image. */
const LIST = `
const fs = process.getBuiltinModule("fs"), found = new Set()
const walk = (folder) => {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const at = folder + "/" + name
    if (name.startsWith("@")) walk(at)
    if (!fs.existsSync(at + "/package.json")) continue
    const own = JSON.parse(fs.readFileSync(at + "/package.json"))
    found.add(own.name + "@" + own.version)
    walk(at + "/node_modules")
  }
}
walk("/app/node_modules")
console.log(JSON.stringify([...found]))`

/** The container becomes healthy without rights, and ends with 0 when it is stopped. */
async function expectGood(name: string, use: () => Promise<unknown>) {
  say(`${name}: healthy after ${await healthy(name)}`)
  expect(await rightsOf(name)).toEqual(NO_RIGHTS)
  await use()
  expect(await stop(name)).toBe(0)
}
/** The status of a request within a container. */
const askWithin = (name: string, url: string) =>
  run(`docker exec ${name} node -e 'fetch("${url}").then((it) => console.log(it.status), () => console.log(0))'`)

describe.skipIf(missing)(`images in Docker${missing ? `: ${missing}` : ''}`, () => {
  let folder = ''
  let clone = ''

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-images-'))
    clone = path.join(folder, 'clone')
    await run(`git clone --quiet "${root}" "${clone}"`)
    await run(`docker network create ${network}`)
    const settings = { POSTGRES_USER: 'pilothouse', POSTGRES_DB: 'console', POSTGRES_PASSWORD: PASSWORD }
    await run(
      `docker run --detach --name ${prefix}-database --network ${network} ${envOf(settings)} ` +
        '--health-cmd "pg_isready -h 127.0.0.1 -U pilothouse" --health-interval 2s postgres:18',
    )
    await healthy(`${prefix}-database`)
    for (const name of ['platform', 'agent']) await run(`docker exec ${prefix}-database createdb -U pilothouse ${name}`)
  }, LIMIT_MS)

  afterAll(async () => {
    await removeAll(prefix)
    rmSync(folder, { recursive: true, force: true })
  }, LIMIT_MS)

  test.skipIf(GIVEN).each(IMAGES)(
    'a clone builds the image %s',
    async (target) => {
      const began = Date.now()
      await run(`docker build --target ${target} --tag ${imageOf(target)} .`, { cwd: clone })
      say(`${target}: built in ${secondsSince(began)}`)
    },
    BUILD_MS,
  )

  test.each(IMAGES)(
    'the image %s lists all its packages in its bill of materials',
    async (target) => {
      const image = imageOf(target)
      const bill = JSON.parse(await run(`docker run --rm --entrypoint cat ${image} /app/sbom.cdx.json`))
      const packages: string[] = JSON.parse(await run(`docker run --rm --entrypoint node ${image} -e '${LIST}'`))
      expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' })
      const known = new Set(bill.components.map((one: { 'bom-ref': string }) => one['bom-ref']))
      expect(packages.length).toBeGreaterThan(0)
      expect(packages.filter((one) => !known.has(one))).toEqual([])
      say(
        `${target}: ${Math.round((await inspect(image)).Size / 1e6)} MB, ${packages.length} of ${known.size} packages`,
      )
    },
    LIMIT_MS,
  )

  test(
    'the console serves without rights',
    async () => {
      const name = `${prefix}-console`
      const variables = {
        ...{ DATABASE_URL: databaseUrl('console'), NEXTAUTH_SECRET: secret(), PILOTHOUSE_SEALING_KEY: secret() },
        ...{ NEXTAUTH_URL: 'http://localhost:3000', PILOTHOUSE_ADMIN_PASSWORD: secret() },
        ...{ CONTROL_PLANE_URL: 'https://api.example.com', CONTROL_PLANE_API_KEY: secret() },
      }
      const options = `--detach --name ${name} --network ${network} ${RIGHTS} ${envOf(variables)}`
      await run(`docker run ${options} ${imageOf('console')}`)
      await expectGood(name, () =>
        expect.poll(() => askWithin(name, 'http://127.0.0.1:3000/readyz'), { timeout: 30_000 }).toBe('200'),
      )
    },
    LIMIT_MS,
  )

  test(
    'the platform starts as the guide says, and a gateway beside it',
    async () => {
      const [, start = '', ask = ''] = commandsBelow('The platform alone')
      const key = secret()
      const variables = { DATABASE_URL: databaseUrl('platform'), PILOTHOUSE_GATEWAY_KEY: key }
      const port = await freePort()
      const options = `--network ${network} ${envOf(variables)}`
      await run(adapted(start, { prefix, image: imageOf('platform'), port, options }))
      await expectGood(`${prefix}-platform`, async () => {
        const apiKey = await run(adapted(ask, { prefix }))
        const asked = await fetch(`http://127.0.0.1:${port}/v2/deployments`, { headers: { 'x-api-key': apiKey } })
        expect(asked.status).toBe(200)

        const name = `${prefix}-gateway`
        const settings = {
          DATABASE_URL: `postgres://${prefix}-database:5432/platform`,
          PILOTHOUSE_GATEWAY_KEY: key,
          PILOTHOUSE_PLATFORM_URL: `http://${prefix}-platform:4000`,
        }
        const given = `--detach --name ${name} --network ${network} ${RIGHTS} ${envOf(settings)}`
        await run(`docker run ${given} ${imageOf('gateway')}`)
        await expectGood(name, () =>
          expect.poll(() => askWithin(name, 'http://127.0.0.1:4100/readyz'), { timeout: 30_000 }).toBe('200'),
        )
      })
    },
    LIMIT_MS,
  )

  test(
    'an image of agents is made as the guide says, and answers',
    async () => {
      const image = `${prefix}-concierge`
      const build = commandsBelow('Kubernetes').find((one) => one.startsWith('printf ')) ?? ''
      const named = build.replace(/FROM [^\\]+/, `FROM ${imageOf('agent')}`).replace(/--tag \S+/, `--tag ${image}`)
      await run(named, { cwd: clone })
      const key = secret()
      const settings = path.join(folder, 'revision.json')
      const revision = {
        ...{ deployment: { id: 'd', name: 'concierge' }, revision: { id: 'r', commit: null }, source: null },
        ...{ secretNames: [], databaseUrl: databaseUrl('agent'), secret: key, drainSeconds: 5 },
      }
      writeFileSync(settings, JSON.stringify(revision))
      const name = `${prefix}-agent`
      const port = await freePort()
      const options =
        `--detach --name ${name} --network ${network} ${RIGHTS} --publish 127.0.0.1:${port}:8000 ` +
        `--volume ${settings}:/settings/revision.json:ro --env PILOTHOUSE_AGENT_SETTINGS=/settings/revision.json`
      await run(`docker run ${options} ${image}`)
      await expectGood(name, async () => {
        const headers = { 'content-type': 'application/json', 'x-pilothouse-child': key }
        const ask = (where: string, init?: RequestInit) =>
          fetch(`http://127.0.0.1:${port}${where}`, { headers, ...init })
        const status = async () => (await ask('/ok').catch(() => undefined))?.status
        await expect.poll(status, { timeout: 60_000 }).toBe(200)
        const body = { assistant_id: 'chat', input: { messages: [{ role: 'user', content: 'Hello.' }] } }
        const answer = await ask('/runs/wait', { method: 'POST', body: JSON.stringify(body) })
        expect([answer.status, (await answer.json()).messages?.length]).toEqual([200, 2])
      })
    },
    LIMIT_MS,
  )

  test(
    'one container, as the guide says: first run, stop and start, backup, and its restore into a new volume',
    async () => {
      const [, start = '', ask = ''] = commandsBelow('One container')
      const [back = '', copy = '', remove = '', restore = ''] = commandsBelow('Back up one container')
      const port = await freePort()
      const url = `http://localhost:${port}`
      const names = { prefix, image: imageOf('full'), port, options: `--env NEXTAUTH_URL=${url}` }
      const name = `${prefix}-pilothouse`
      const as = (command: string) => run(adapted(command, names), { cwd: folder })
      let email = ''
      let recorded = ''
      /** The recorded run is there, and another one ends. */
      const goOn = () =>
        withPage(url, async (page) => {
          await signInAgain(page, email)
          await page.goto(recorded)
          await expectFinished(page)
          await runToItsEnd(page)
        })

      const began = Date.now()
      await as(start)
      await expectGood(name, async () => {
        await withPage(url, async (page) => {
          email = await signInFirst(page, await as(ask))
          recorded = await runToItsEnd(page)
        })
        say(`full: ${secondsSince(began)} from docker run to the end of the first run`)
        for (const command of [back, copy, remove]) await as(command)
      })
      await run(`docker start ${name}`)
      await expectGood(name, goOn)

      await run(`docker rm ${name}`)
      const restoring = Date.now()
      await as(restore)
      say(`full: restored in ${secondsSince(restoring)}`)
      await as(start.replace('--volume pilothouse:', '--volume restored:'))
      await expectGood(name, goOn)
    },
    2 * LIMIT_MS,
  )
})
