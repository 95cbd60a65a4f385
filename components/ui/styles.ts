// Not in tabs.tsx, so that pages with links that look like tabs do not load the tab component.
export const tabStyle =
  '-mb-px inline-flex h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-0.5 text-ink-2 text-sm hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink data-[state=active]:border-accent data-[state=active]:text-ink'
// A tab that is cut off says that there are more; a scroll bar would cover the line below the tabs.
export const tabListStyle = 'flex gap-5 overflow-x-auto border-b [scrollbar-width:none]'

/** Scrolls a tab list until this tab is visible, without scrolling the page. */
export function showTab(tab: HTMLElement | null) {
  const list = tab?.parentElement
  if (!tab || !list) return
  const beyond = tab.getBoundingClientRect().right - list.getBoundingClientRect().right
  if (beyond > 0) list.scrollLeft += beyond
}

/**
 * For the frame of a page and its main part. A page with `data-fills-page` in it is as high as the window: only its parts
 * scroll. With the value `lg`, on wide screens.
 */
export const fillsWindow = {
  frame: 'min-h-dvh has-[[data-fills-page=always]]:h-dvh lg:has-[[data-fills-page]]:h-dvh',
  main: 'has-[[data-fills-page=always]]:min-h-0 lg:has-[[data-fills-page]]:min-h-0',
}

/** A part above the one that fills such a page: it scrolls itself before it takes the other's room. */
export const yieldsToFill = 'relative min-h-24 overflow-y-auto'

/** A panel beside a list, which on narrow screens is a sheet over it. */
export const sheetOverList =
  'max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-40 max-lg:h-[75dvh] max-lg:border-t max-lg:shadow-pop'

/**
 * A box with scrolling content. Padding keeps the content inside the round corners, because clipping at them makes
 * scrolling several times slower in browsers without a graphics card.
 */
export const scrollPanel = 'rounded-lg border bg-panel p-0.5'

/** A conversation with the list beside it: all of the window below a deployment's tabs. */
export const conversationBox =
  '-mx-3 sm:-mx-6 -mb-5 flex h-[calc(100dvh-8.3125rem)] max-sm:h-[calc(100dvh-5.3125rem)] min-h-96 overflow-hidden'
