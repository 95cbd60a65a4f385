/**
 * Run in a page before all else. `drawn(selector, timeoutMs)` gives the time at which the page had drawn the first frame with
 * two such elements: the outermost line alone is not the state. They are noticed as they come; looking for them once a frame
 * found those that were not there at once a whole frame after they were drawn.
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
