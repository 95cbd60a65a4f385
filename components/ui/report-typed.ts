/**
 * Tells a text field's `onChange` what was typed before hydration. React keeps such text in the field, takes it for known,
 * and replaces it when the field is drawn again. A ref of the field.
 */
export function reportTyped(field: HTMLInputElement | HTMLTextAreaElement | null): void {
  if (!field || field.value === field.defaultValue) return // the server's text is the default
  const drawn = field.cloneNode() as typeof field
  drawn.value = field.defaultValue
  if (field.value === drawn.value) return // as browsers write it, with other line ends for example
  const { value, selectionStart, selectionEnd } = field
  // React watches the field's own property: it learns of the first text, and not of the second until the event.
  field.value = field.defaultValue
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  // Once React has drawn the field with it, which moves the caret to the end.
  if (selectionStart !== null) queueMicrotask(() => field.setSelectionRange(selectionStart, selectionEnd))
}

/** Likewise for a checkbox or a radio button that was chosen before hydration. */
export function reportChosen(field: HTMLInputElement | null): void {
  if (!field || field.checked === field.defaultChecked) return
  // Of radio buttons, the one that was left needs no word: the other one's report is about both.
  if (field.type === 'radio' && !field.checked) return
  field.checked = field.defaultChecked
  field.click()
}

/** Likewise for what was selected before hydration. A form that draws itself again at once would show its own choice. */
export function reportSelected(list: HTMLSelectElement | null): (() => void) | undefined {
  // Only the server's page has such an option: one that the browser drew itself has none.
  const drawn = [...(list?.options ?? [])].find((one) => one.defaultSelected)
  if (!list || !drawn || drawn.selected) return
  const { value } = list
  // After the events of a choice that is made right now, which report it themselves.
  const timer = setTimeout(() => {
    list.value = value
    list.dispatchEvent(new Event('change', { bubbles: true }))
  })
  const cancel = () => clearTimeout(timer)
  list.addEventListener('change', cancel, { once: true })
  return cancel
}
