import { LIVE } from './live'

const KEPT = 'earlyKeys'

declare global {
  interface Window {
    [KEPT]?: KeyboardEvent[]
  }
}

/**
 * Runs before hydration: keeps the keys that are pressed until the shell listens, and those of no page only until React handles
 * events. Without it such a key is lost. Ctrl K would reach the browser, which has a use for it.
 */
export const KEYS_SCRIPT = `(function(){var w=window;w.${KEPT}=[];
addEventListener('keydown',function(e){var kept=w.${KEPT};if(!kept)return;kept.push(e);
if((e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==='k')e.preventDefault()},true);
addEventListener('${LIVE}',function(){delete w.${KEPT}})})()`

/** The keys that were pressed before React handled events, once. */
export function takeEarlyKeys(): KeyboardEvent[] {
  const kept = window[KEPT] ?? []
  delete window[KEPT]
  return kept
}
