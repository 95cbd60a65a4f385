import { withBasePath } from '@/lib/base-path'

/** Set in browsers that have seen the tour or do not want it. */
export const TOUR_COOKIE = 'pilothouse-tour'

/** Set in browsers whose user dismissed the first steps. */
export const STEPS_COOKIE = 'pilothouse-first-steps'

const YEAR_SECONDS = 31_536_000

/** Sets one of these for a year. The server reads them, so that nothing moves when the page has loaded. */
export function rememberInBrowser(cookie: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in Safari before 18.4.
  document.cookie = `${cookie}=1; path=${withBasePath('/')}; max-age=${YEAR_SECONDS}; samesite=lax`
}

type Place = { selector: string; title: string; text: string }

/** The tour, in order. What a page or a narrow screen does not show is left out. */
const PLACES: Place[] = [
  {
    selector: 'textarea[aria-label="Message"]',
    title: 'Talk to an agent',
    text: 'Type and press Enter. The server records each run to its end, also if you close this tab.',
  },
  {
    selector: 'nav[aria-label="Main"] a[href$="/deployments"]',
    title: 'Deployments',
    text: 'What is deployed and how it is: revisions, builds, logs, secrets, assistants, schedules.',
  },
  {
    selector: 'nav[aria-label="Main"] a[href$="/runs"]',
    title: 'Runs',
    text: 'All runs of all deployments, no matter who started them. A failed one opens with its error.',
  },
  {
    selector: 'nav[aria-label="Main"] a[href$="/inbox"]',
    title: 'Inbox',
    text: 'Runs that wait for a person. Approve, edit or reject without leaving the list.',
  },
  {
    selector: 'button[aria-label="Search"]',
    title: 'Find and do anything',
    text: 'Ctrl K or ⌘K finds pages, deployments and actions. The key ? lists all keys.',
  },
  {
    selector: 'a[aria-label="Help for this page"]',
    title: 'Help',
    text: 'The documentation of the page that is open. It needs no network.',
  },
]

/** The places that are on the page and can be seen. */
export const findPlaces = (page: Document) =>
  PLACES.flatMap(({ selector, ...place }) => {
    const element = page.querySelector(selector)
    return element && element.getClientRects().length > 0 ? [{ ...place, element }] : []
  })
