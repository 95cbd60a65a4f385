// What people did in the console, for pictures of pages that would be empty without it.
import { ask } from './sample-work.mjs'

/** Starts a run from the form of a deployment, and waits for what shows that it is over. */
export async function startRun(page, { deployment, assistant, message = '', isOver }) {
  await page.goto(`/local/deployments/${deployment}/runs/new`)
  await page.getByRole('combobox', { name: 'Assistant' }).selectOption({ label: assistant })
  if (message) await page.getByLabel('Message', { exact: true }).last().fill(message)
  await page.getByRole('button', { name: 'Start run' }).click()
  await isOver(page).waitFor({ timeout: 60_000 })
}

/** Members, alert rules and tokens, each entered in its form. */
export async function fillSettings(page) {
  const inDialog = (name) => page.getByRole('dialog').getByRole('button', { name })
  await page.goto('/local/members')
  for (const [email, role] of [
    ['ada@example.com', 'developer'],
    ['grace@example.com', 'viewer'],
  ]) {
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Role', { exact: true }).selectOption(role)
    await page.getByRole('button', { name: 'Add member' }).click()
    await inDialog('Done').click()
  }
  await page.goto('/local/alerts?tab=rules')
  for (const [kind, settings] of Object.entries({
    'Build or roll-out failed': {},
    'Error rate': { 'At least (runs)': '1' },
    'Waiting for input': { 'For at least (minutes)': '0' },
  })) {
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Alert when', { exact: true }).selectOption({ label: kind })
    for (const [label, value] of Object.entries(settings)) await page.getByLabel(label, { exact: true }).fill(value)
    await inDialog('Save rule').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.goto('/local/settings/tokens')
  for (const [name, owner, role] of [
    ['Deploy from CI', 'A service account', 'admin'],
    ['Notebook', 'Me', 'viewer'],
  ]) {
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('Belongs to', { exact: true }).selectOption({ label: owner })
    await page.getByLabel('Role', { exact: true }).selectOption(role)
    await inDialog('Create token').click()
    await inDialog('Done').click()
  }
}

/** Two versions of an assistant on one input. Ends on the results. */
export async function experiment(page, deployment) {
  const made = await ask('POST', `/agents/${deployment}/assistants`, {
    ...{ graph_id: 'chat', name: 'front desk', context: { delay_ms: 0 } },
  })
  await ask('PATCH', `/agents/${deployment}/assistants/${made.assistant_id}`, { context: { delay_ms: 1 } })
  await page.goto(`/local/deployments/${deployment}/assistants/${made.assistant_id}`)
  await page.getByRole('link', { name: 'Experiment', exact: true }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('What is 6 * 7?')
  await page.getByRole('button', { name: /^Start/ }).click()
  await page.getByText('2 of 2 runs done').waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Good answer' }).first().click()
}
