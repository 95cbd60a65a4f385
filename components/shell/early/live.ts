/** Set on the document once React handles events; an event of the same name tells what waits for it. */
export const LIVE = 'live'

/** React handles events from now on. */
export function goLive(): void {
  document.documentElement.dataset[LIVE] = ''
  window.dispatchEvent(new Event(LIVE))
}
