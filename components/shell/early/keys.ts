import { LIVE } from './live'

const KEPT = 'earlyKeys'

declare global {
  interface Window {
    [KEPT]?: KeyboardEvent[]
  }
}

/**
 * Runs before hydration: keeps the keys that are pressed, for the shell, and forgets them once React handles events. Without it
 * such a key is lost. Browsers have a use for Ctrl K, so they do not get it.
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
