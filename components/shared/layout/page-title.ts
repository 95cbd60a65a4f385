'use client'
import { useEffect } from 'react'

/** What pages add to the title that the server gave: a name in place of the kind of page, and the deployment. */
type Parts = { page?: string | undefined; place?: string | undefined }
const parts: Parts = {}

const SEPARATOR = ' · '
/** The server's title, the one that was set last, and what the document made of it: it joins spaces. */
let given = ''
let set = ''
let shown = ''
let observer: MutationObserver | undefined

function show(): void {
  const isOurs = document.title === shown
  if (!isOurs) given = document.title
  if (given === '') return
  const [page, ...rest] = given.split(SEPARATOR)
  const title = [parts.page || page, parts.place, ...rest].filter(Boolean).join(SEPARATOR)
  // Each title that is set calls this function again.
  if (isOurs && title === set) return
  set = title
  document.title = title
  shown = document.title
}

/** Next.js gives a title with each page, before or after the page's own components. */
function usePart(part: keyof Parts, value: string | undefined): void {
  useEffect(() => {
    if (!observer) {
      observer = new MutationObserver(show)
      observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    }
    parts[part] = value && cut(value.replace(/\s+/g, ' ').trim())
    show()
    return () => {
      parts[part] = undefined
      show()
    }
  }, [part, value])
}
const LONGEST = 80
const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1).trim()}…` : text)

/** Names the browser's tab after what the page shows, as soon as that is known. */
export const usePageTitle = (title: string | undefined): void => usePart('page', title)

/** Names the deployment in the titles of all its pages. */
export const usePlaceTitle = (name: string | undefined): void => usePart('place', name)
