import type { Locator } from '@playwright/test'

/** Pastes as a person does: the page reads it from the event, the clipboard of the machine is left alone. */
export const pasteInto = (field: Locator, text: string): Promise<void> =>
  field.evaluate((element, value) => {
    const data = new DataTransfer()
    data.setData('text/plain', value)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  }, text)
