// Apart from the tabs themselves: links that look like tabs stand on every page of a deployment.
export const tabStyle =
  '-mb-px inline-flex h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-0.5 text-ink-2 text-sm hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink data-[state=active]:border-accent data-[state=active]:text-ink'
export const tabListStyle = 'flex gap-5 overflow-x-auto border-b'

/** Scrolls a list that is wider than the screen so far that this tab is seen; the page itself stays where it is. */
export function showTab(tab: HTMLElement | null) {
  const list = tab?.parentElement
  if (!tab || !list) return
  const beyond = tab.getBoundingClientRect().right - list.getBoundingClientRect().right
  if (beyond > 0) list.scrollLeft += beyond
}
