import type { Locator } from '@playwright/test'

/** Pastes through a paste event, without touching the machine's clipboard. */
export const pasteInto = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, value) => {
    const data = new DataTransfer()
    data.setData('text/plain', value)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  }, text)
