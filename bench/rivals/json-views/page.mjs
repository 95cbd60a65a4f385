// The peers' trees and differences in an otherwise empty page; `?side=` selects one.
import diff from 'microdiff'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { collapseAllNested, JsonView } from 'react-json-view-lite'
import { createJSONEditor } from 'vanilla-jsoneditor'

const root = document.getElementById('root')
const textOf = (bytes) => new TextDecoder().decode(bytes)

/**
 * Each side returns a function that shows bytes in an element that is prepared before they arrive, as far as the peer
 * allows.
 */
const sides = {
  parse: (place) => (bytes) => {
    window.parsed = JSON.parse(textOf(bytes))
    place.innerHTML = '<div role="treeitem">parsed</div><div role="treeitem"></div>'
  },
  vanilla: (target) => {
    const editor = createJSONEditor({ target, props: { content: { text: '' }, mode: 'tree', readOnly: true } })
    return (bytes) => editor.set({ text: textOf(bytes) })
  },
  lite: (place) => {
    const inside = createRoot(place)
    const draw = (data) => inside.render(createElement(JsonView, { data, shouldExpandNode: collapseAllNested }))
    draw({})
    return (bytes) => draw(JSON.parse(textOf(bytes)))
  },
}

let show
window.page = {
  prepare: () => {
    root.replaceChildren(document.createElement('div'))
    show = sides[new URLSearchParams(location.search).get('side')](root.firstElementChild)
  },
  show: (bytes) => show(bytes),
  compare: async (old, now) => diff(JSON.parse(textOf(old)), JSON.parse(textOf(now))).length,
}
