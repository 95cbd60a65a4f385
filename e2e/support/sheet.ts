import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible } from './session'

/** A row opens its detail as a sheet with the focus. Escape, going back and Close lead back to the row. `seen` checks the sheet. */
export async function expectSheet(page: Page, row: Locator, sheet: Locator, seen: () => Promise<void>): Promise<void> {
  const isBack = async () => {
    await expect(sheet).toHaveCount(0)
    await expect(row).toBeFocused()
  }
  await row.press('Enter')
  await expect(sheet).toBeFocused()
  await seen()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await isBack()
  await row.click()
  await expect(sheet).toBeFocused()
  await page.goBack()
  await isBack()
  await row.click()
  await sheet.getByRole('button', { name: 'Close' }).click()
  await isBack()
}
