import { expect, type Page } from '@playwright/test'

type Places = Record<string, string>
type Watched = { placesThen?: Places; placesNow?: () => Places }

/**
 * Call before the reply is whole, with its last words, and on a page that shows it. The returned function waits until two
 * seconds after the run has ended, and expects that no text that was there with the last words has moved.
 */
export async function expectStillEnd(page: Page, lastWords: string): Promise<() => Promise<void>> {
  await page.evaluate((words) => {
    const watched = window as Watched
    // Equal texts are told apart by their order.
    watched.placesNow = () => {
      const places: Places = {}
      const seen = new Map<string, number>()
      for (const element of document.querySelectorAll('main *')) {
        const own = [...element.childNodes].filter((node) => node instanceof Text)
        const text = own
          .map((node) => node.textContent)
          .join('')
          .trim()
        const { x, y, width } = element.getBoundingClientRect()
        // Numbers change, and are elsewhere by chance; lists of threads change with other runs.
        if (width === 0 || !/[a-z]{3}/i.test(text) || element.closest('nav')) continue
        const nth = seen.get(text) ?? 0
        seen.set(text, nth + 1)
        places[`${text} (${nth})`] = `${Math.round(x)}, ${Math.round(y)}`
      }
      return places
    }
    const look = () => {
      if (watched.placesThen || !document.querySelector('main')?.textContent?.includes(words)) return
      requestAnimationFrame(() => {
        watched.placesThen ??= watched.placesNow?.()
      })
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
    look()
  }, lastWords)
  return async () => {
    await expect(page.getByText('Finished', { exact: true }).first()).toBeVisible({ timeout: 30_000 })
    const moved = await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const { placesThen, placesNow } = window as Watched
      if (!placesThen || !placesNow) return ['The last words were not seen.']
      const now = placesNow()
      return Object.entries(placesThen).flatMap(([text, place]) =>
        now[text] === undefined || now[text] === place ? [] : [`${text}: ${place} to ${now[text]}`],
      )
    })
    expect(moved, 'moved after the last words').toEqual([])
  }
}
