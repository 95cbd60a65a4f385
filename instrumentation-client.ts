import { navigation } from '@/lib/navigation'

/** Called by Next.js whenever a link or the router begins to open another page. */
export const onRouterTransitionStart = (url: string): void => navigation.begin(url)
