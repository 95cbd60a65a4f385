import type { Page } from '@playwright/test'

/** Counts what a person does on the page from now on: each click and key is one, and so is a text typed without a break. */
export async function countInteractions(page: Page): Promise<() => number> {
  let count = 0
  let wasText = false
  await page.exposeBinding('noteInteraction', (_source, isText: boolean) => {
    if (!(isText && wasText)) count += 1
    wasText = isText
  })
  await page.addInitScript(listen)
  await page.evaluate(listen)
  return () => count
}

/** Runs in the page. */
function listen(): void {
  const note = (isText: boolean) =>
    (window as unknown as { noteInteraction(isText: boolean): void }).noteInteraction(isText)
  const isModifier = (key: string) => ['Shift', 'Control', 'Alt', 'Meta'].includes(key)
  // Not on `window`: Playwright stops a press there whose target has moved away, and presses again.
  document.addEventListener('pointerdown', () => note(false), true)
  document.addEventListener(
    'keydown',
    ({ key, repeat }) => {
      if (!repeat && !isModifier(key)) note(key.length === 1)
    },
    true,
  )
}
