import { navigation } from '@/lib/navigation'

// A page that is not found, or leads elsewhere, ends the boundary around all pages on the server. The framework shows what is right,
// but React also reports an error of the page.
addEventListener('error', (event) => {
  if (/^NEXT_(HTTP_ERROR_FALLBACK|REDIRECT);/.test(String(event.error?.digest))) event.preventDefault()
})

/** Called by Next.js whenever a link or the router begins to open another page. */
export const onRouterTransitionStart = (url: string): void => navigation.begin(url)
