// The peers' trees and difference, in a page of nothing else; `?side=` says which.
import diff from 'microdiff'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { collapseAllNested, JsonView } from 'react-json-view-lite'
import { createJSONEditor } from 'vanilla-jsoneditor'

const root = document.getElementById('root')
const textOf = (bytes) => new TextDecoder().decode(bytes)

const sides = {
  parse: (bytes) => {
    window.parsed = JSON.parse(textOf(bytes))
    root.firstElementChild.innerHTML = '<div role="treeitem">parsed</div><div role="treeitem"></div>'
  },
  vanilla: (bytes) => {
    createJSONEditor({
      target: root.firstElementChild,
      props: { content: { text: textOf(bytes) }, mode: 'tree', readOnly: true },
    })
  },
  lite: (bytes) => {
    const data = JSON.parse(textOf(bytes))
    createRoot(root.firstElementChild).render(createElement(JsonView, { data, shouldExpandNode: collapseAllNested }))
  },
}

window.page = {
  show: (bytes) => {
    root.replaceChildren(document.createElement('div'))
    sides[new URLSearchParams(location.search).get('side')](bytes)
  },
  compare: async (old, now) => diff(JSON.parse(textOf(old)), JSON.parse(textOf(now))).length,
}
