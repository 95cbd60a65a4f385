import type { Page } from '@playwright/test'

/** What cuts off the ring of the element that has the keyboard, each with the side; empty if all of it is seen. */
export const cutsOfRing = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const focused = document.activeElement
    const ringed = [focused, focused?.closest('tr')].find((one) => one && getComputedStyle(one).outlineStyle !== 'none')
    if (!ringed) return ['There is no ring.']
    const { outlineWidth, outlineOffset } = getComputedStyle(ringed)
    const reach = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset)
    const box = ringed.getBoundingClientRect()
    const cuts: string[] = []
    for (let around = ringed.parentElement; around; around = around.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(around)
      const { left, top } = around.getBoundingClientRect()
      const [x, y] = [left + around.clientLeft, top + around.clientTop]
      const name = `${around.tagName} ${around.className}`
      if (overflowX !== 'visible' && (box.left - reach < x - 0.5 || box.right + reach > x + around.clientWidth + 0.5))
        cuts.push(`x: ${name}`)
      if (overflowY !== 'visible' && (box.top - reach < y - 0.5 || box.bottom + reach > y + around.clientHeight + 0.5))
        cuts.push(`y: ${name}`)
    }
    return cuts
  })
