import { once } from 'node:events'
import { createServer } from 'node:http'
// @ts-expect-error: the package has no types
import Provider from 'oidc-provider'
import { SINGLE_SIGN_ON } from '../playwright.config'
import { deploymentPath, expect, test } from './support/session'

test('single sign-on with a real provider returns to the requested page, with the role from the claims', async ({
  page,
  baseURL,
}) => {
  const { issuer, clientId, clientSecret } = SINGLE_SIGN_ON
  const provider = new Provider(issuer, {
    clients: [
      { client_id: clientId, client_secret: clientSecret, redirect_uris: [`${baseURL}/api/auth/callback/oidc`] },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: 'Robin', groups: ['operators'] }),
    }),
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
  })
  const server = createServer(provider.callback()).listen(Number(new URL(issuer).port), '127.0.0.1')
  await once(server, 'listening')
  try {
    await page.goto('/local/runs')
    await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
    await page.getByPlaceholder('Enter any login').fill('robin')
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click() // the provider asks for consent
    await page.waitForURL('/local/runs')
    await expect(page.getByRole('heading', { name: 'Runs' })).toBeVisible()
    await page.goto(await deploymentPath('concierge'))
    await expect(page.getByRole('link', { name: 'Start a run' }).first()).toBeVisible() // developers may start runs
    await expect(page.getByRole('link', { name: 'Members' })).toHaveCount(0) // for administrators only
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

test('an unreachable provider is reported once on the sign-in page', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in with single sign-on' }).click()
  await expect(page.locator('main [role=alert]')).toHaveText(/identity provider is not reachable/)
  await expect(page.getByLabel('Email')).toBeVisible()
})
