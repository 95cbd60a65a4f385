// Not in tabs.tsx, so that pages with links that look like tabs do not load the tab component.
export const tabStyle =
  '-mb-px inline-flex h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-0.5 text-ink-2 text-sm hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink data-[state=active]:border-accent data-[state=active]:text-ink'
export const tabListStyle = 'flex gap-5 overflow-x-auto border-b'

/** Scrolls a tab list until this tab is visible, without scrolling the page. */
export function showTab(tab: HTMLElement | null) {
  const list = tab?.parentElement
  if (!tab || !list) return
  const beyond = tab.getBoundingClientRect().right - list.getBoundingClientRect().right
  if (beyond > 0) list.scrollLeft += beyond
}

/**
 * A box with scrolling content. Padding keeps the content inside the round corners, because clipping at them makes
 * scrolling several times slower in browsers without a graphics card.
 */
export const scrollPanel = 'rounded-lg border bg-panel p-0.5'
