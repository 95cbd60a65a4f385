/**
 * Runs in a page before anything else: `drawn(selector, timeoutMs)` resolves with the time of the first frame that
 * shows two matching elements, because the first is only the outermost line. An observer notices them, since polling
 * once a frame would be a frame late.
 */
export function watchDrawn() {
  window.drawn = (selector, timeoutMs) =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (document.querySelectorAll(selector).length < 2) return
        observer.disconnect()
        clearTimeout(timer)
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
      }
      const observer = new MutationObserver(look)
      const timer = setTimeout(() => reject(new Error('No rows came.')), timeoutMs)
      observer.observe(document, { subtree: true, childList: true, attributes: true })
      look()
    })
}
