import { addMember, expect, expectAccessible, giveCredentials, signIn, test } from './support/session'

test('a passkey is added, signs in without a password and with it, and is removed', async ({ page, browser }) => {
  const person = await addMember(page)
  const context = await browser.newContext()
  const own = await context.newPage()
  const device = await context.newCDPSession(own)
  await device.send('WebAuthn.enable')
  const options = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
  })
  await signIn(own, '/local/account', person)
  await expect(own.getByText('No passkeys yet')).toBeVisible()
  await own.getByRole('button', { name: 'Add passkey' }).click()
  const dialog = own.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Your password').fill('not this one')
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  await expect(dialog.getByText('This is not the current password.')).toBeVisible()
  await expectAccessible(own)
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  const table = own.getByRole('table', { name: 'Passkeys' })
  await expect(table.getByRole('row').filter({ hasText: 'Laptop' })).toContainText('Never')

  const inside = own.getByRole('navigation', { name: 'Main' })
  await context.clearCookies()
  await own.goto('/sign-in?callbackUrl=/local/account')
  await own.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(inside).toBeVisible()
  await expect(table.getByRole('row').filter({ hasText: 'Laptop' })).not.toContainText('Never')

  await own.getByLabel('Ask for a passkey after my password').click()
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Ask for a passkey' }).click()
  await expect(own.getByLabel('Ask for a passkey after my password')).toBeChecked()
  await context.clearCookies()
  const elsewhere = await context.newPage() // a browser without the device
  await elsewhere.goto('/sign-in')
  await elsewhere.evaluate(() =>
    Object.defineProperty(navigator, 'credentials', { value: { get: () => Promise.reject() } }),
  )
  await giveCredentials(elsewhere, person)
  await expect(elsewhere.getByText('This account needs its passkey too.')).toBeVisible()
  await elsewhere.close()
  await own.goto('/sign-in?callbackUrl=/local/account')
  await giveCredentials(own, person)
  await expect(inside).toBeVisible()

  await own.getByRole('button', { name: 'Remove passkey Laptop' }).click()
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Remove passkey' }).click()
  await expect(own.getByText('No passkeys yet')).toBeVisible()
  await context.close()
})
