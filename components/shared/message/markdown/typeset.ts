import katex from 'katex'
import 'katex/dist/katex.min.css'

/** Draws a formula into `element`; false if it is not one. Nothing in it is loaded, linked or executed. */
export function typeset(source: string, element: HTMLElement, isBlock: boolean): boolean {
  try {
    katex.render(source, element, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxSize: 20,
      maxExpand: 200,
    })
    return true
  } catch {
    element.textContent = ''
    return false
  }
}
