import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { findAll, keptBy, printed, stored } from './support/canary'
import { watchCanary } from './support/journeys-canary'
import { ask } from './support/platform'
import { startRecordingProxy } from './support/recording-proxy'
import { expect, pasteInto, signIn, startChat, test } from './support/session'

// Sets values in every possible way, then searches for them in everything that the console sends or stores.

const mark = randomBytes(8).toString('hex')
const canary = (way: string) => `canary${way}${mark}`
const LARGE = `${canary('Large')}${'x'.repeat(64 * 1024)}`

const valuesOf = async (id: string) =>
  Object.fromEntries(
    (await ask('GET', `/v2/deployments/${id}`)).secrets.map((one: { name: string; value: string }) => [
      one.name,
      one.value,
    ]),
  )

const field = (page: Page, name: string) =>
  page.getByLabel(name, { exact: true }).and(page.locator('input, select, textarea'))
const review = (page: Page) => page.getByRole('button', { name: /^Review \d/ })
const send = (page: Page) => page.getByRole('button', { name: 'Save and create revision' })
const saved = (page: Page) => expect(page.getByRole('link', { name: 'View revision' })).toBeVisible()

test('no secret value is ever sent or stored, however it was set', async ({ browser, page, baseURL }) => {
  test.setTimeout(150_000)
  await signIn(page)
  const door = await startRecordingProxy(baseURL ?? '')
  const context = await browser.newContext({ baseURL: door.url, storageState: await page.context().storageState() })
  // Names take the place of secrets here, to prove that the watch of all journeys finds what it should.
  const planted = ['FROM_FILE']
  const watch = watchCanary(context, planted)
  const astray: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(door.url)) astray.push(request.url())
  })
  const mine = await context.newPage()
  const name = `canary-${mark}`

  // Create: one typed, others pasted; rejected by the server at first.
  await mine.goto('/local/deployments/new')
  await field(mine, 'Name').fill(name)
  await field(mine, 'Repository').selectOption({ label: 'local/samples' })
  await expect(field(mine, 'Branch or tag')).toHaveValue('main')
  await field(mine, 'Graph config').fill('graph.json')
  await mine.getByRole('button', { name: 'Add secret' }).click()
  await pasteInto(
    mine.getByLabel('Name of secret 1'),
    `export PASTED="${canary('Pasted')}"\nPILOTHOUSE_AGENT_X=${canary('Refused')}\n`,
  )
  await mine.getByRole('button', { name: 'Add secret' }).click()
  await mine.getByLabel('Name of secret 3').fill('TYPED')
  await mine.getByLabel('Value of secret 3').fill(canary('Typed'))
  const make = async () => {
    await mine.getByRole('button', { name: 'Review' }).click()
    await mine.getByRole('dialog').getByRole('button', { name: 'Create deployment' }).click()
  }
  await make()
  await expect(mine.getByText('PILOTHOUSE_AGENT_X is set by the platform')).toBeVisible()
  await mine.getByRole('button', { name: 'Remove secret 2, PILOTHOUSE_AGENT_X' }).click()
  await make()
  await mine.waitForURL(/\/revisions\/[0-9a-f-]{36}$/)
  const id = mine.url().split('/').at(-3) ?? ''
  const at = `/local/deployments/${id}`
  planted.push(id)

  // Change: replaced, added, pasted, as text, and by another user in between.
  await mine.goto(`${at}/settings/secrets`)
  await mine.getByRole('button', { name: 'Replace or rename TYPED' }).click()
  await mine.getByLabel('New value of TYPED').fill(canary('Replaced'))
  await mine.getByLabel('Name of the new secret').fill('ADDED')
  await mine.getByLabel('Value of the new secret').fill(LARGE)
  await mine.getByRole('button', { name: 'Add', exact: true }).click()
  await pasteInto(mine.getByLabel('Name of the new secret'), `# a file\nFROM_FILE='${canary('File')}'\nOTHER=1\n`)
  await mine.getByRole('button', { name: 'Edit as text' }).click()
  const text = mine.getByLabel('Draft as NAME=value lines')
  await text.fill(`${await text.inputValue()}\nAS_TEXT=${canary('Text')}\n`)
  await mine.getByRole('button', { name: 'Apply to draft' }).click()
  const before = (await ask('GET', `/v2/deployments/${id}`)).secrets
  await ask('PATCH', `/v2/deployments/${id}`, {
    secrets: [...before, { name: 'OUTSIDE', value: canary('Outside') }],
  })
  await review(mine).click()
  await send(mine).click()
  await mine.getByRole('button', { name: 'Merge into draft' }).click()
  await review(mine).click()
  await send(mine).click()
  await saved(mine)
  expect(await valuesOf(id)).toEqual({
    PASTED: canary('Pasted'),
    TYPED: canary('Replaced'),
    OUTSIDE: canary('Outside'),
    ADDED: LARGE,
    FROM_FILE: canary('File'),
    OTHER: '1',
    AS_TEXT: canary('Text'),
  })
  // A draft that is never sent and stays open.
  await mine.getByRole('button', { name: 'Replace or rename PASTED' }).click()
  await mine.getByLabel('New value of PASTED').fill(canary('Draft'))

  // Read everywhere: as pages, as their HTML, and through the API.
  const other = await context.newPage()
  await other.goto(`/local/deployments?name_contains=${name}&peek=${id}`)
  await expect(other.getByRole('complementary', { name: `Peek: ${name}` })).toContainText('FROM_FILE')
  await other.getByRole('complementary').getByRole('link', { name: 'Open' }).click()
  await expect(other.getByText('Healthy').first()).toBeVisible({ timeout: 60_000 })
  await startChat(other, 'What is 6 * 7?')
  await expect(other.getByRole('article', { name: 'AI message' }).first()).toBeVisible({ timeout: 20_000 })
  const { resources: revisions } = await ask('GET', `/v2/deployments/${id}/revisions`)
  const [latest, older] = revisions as { id: string }[]
  const relay = '/api/relay/local/control-plane/v2/deployments'
  for (const resource of [
    at,
    `${at}/revisions`,
    `${at}/revisions/${latest?.id}`,
    `${at}/revisions/compare?a=${older?.id}&b=${latest?.id}`,
    `${at}/settings`,
    `${at}/settings/secrets`,
    `${at}/settings/resources`,
    '/local/audit',
    `${relay}?name=${name}`,
    `${relay}/${id}`,
    `${relay}/${id}/revisions`,
    `${relay}/${id}/revisions/${latest?.id}/logs?type=build`,
    `/api/deployments/local?name=${name}`,
    `/api/export/local/deployments?format=json&name=${name}`,
    `/api/export/local/deployments?format=csv&name=${name}`,
    `/api/logs/local/${id}/${older?.id}/deploy`,
  ]) {
    const read = async (url: string) => {
      const response = await fetch(url)
      return [response.status, (await response.text()).length > 0]
    }
    expect(await other.evaluate(read, resource), resource).toEqual([200, true])
  }

  // Proves that the search covered everything: the names appear wherever a value could.
  const hay = [...door.sent(), ...(await keptBy(context)), printed(), ...(await stored())]
  expect(astray).toEqual([])
  const seen: [where: string, text: string][] = [
    [`GET /local/deployments?name_contains=${name}`, 'FROM_FILE'], // a page with its data
    [`GET ${at}/settings/secrets`, 'FROM_FILE'],
    [`POST ${at}/settings/secrets`, 'FROM_FILE'], // a server action
    [`GET ${relay}/${id}`, 'FROM_FILE'],
    [`GET /api/export/local/deployments?format=csv`, 'FROM_FILE'],
    ['POST /api/live', id],
    ['the page', 'FROM_FILE'],
    ['the stores of', '"'],
    ['the log', 'Pilothouse is ready'],
    ['the table audit', 'FROM_FILE'],
    ['the table recordings', id],
    ['the table idempotency_keys', 'createDeployment'],
  ]
  const isSeen = ([where, text]: [string, string]) =>
    hay.some((one) => one.where.startsWith(where) && one.text.includes(text))
  expect(seen.filter((one) => !isSeen(one))).toEqual([])
  for (const trap of [canary('Trap'), btoa(`.${canary('Trap')}.`), Buffer.from(canary('Trap')).toString('hex')])
    expect(findAll([canary('Trap')], [{ where: 'a trap', text: trap }])).not.toEqual([])
  const found = (await watch()).map((leak) => leak.replace(door.url, ''))
  for (const leak of [
    `FROM_FILE in GET ${at}/settings/secrets`,
    `FROM_FILE in POST ${at}/settings/secrets`, // a server action
    `FROM_FILE in GET ${relay}/${id}`,
    `${id} in a frame of /api/live`,
  ])
    expect(found).toContain(leak)
  const ways = ['Pasted', 'Refused', 'Typed', 'Replaced', 'Large', 'File', 'Text', 'Outside']
  expect(findAll(ways.map(canary), hay)).toEqual([])
  // Text that is being typed appears only in its own field.
  const elsewhere = hay.filter(({ where }) => where !== `the page ${mine.url()}`)
  expect(findAll([canary('Draft')], elsewhere)).toEqual([])

  await context.close()
  await door.stop()
  await ask('DELETE', `/v2/deployments/${id}`)
})
