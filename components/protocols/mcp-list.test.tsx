import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { McpListView } from './mcp-list'

afterEach(cleanup)

const list = { exchanges: [], error: undefined, refusal: undefined, isRead: true, retry: () => undefined }
const items = [{ key: 'echo', title: 'echo' }]

test('a name from the address that the server does not list is reported', () => {
  const { rerender } = render(
    <McpListView label="Tools" one="a tool" list={list} items={items} current={undefined} onOpen={() => undefined}>
      {null}
    </McpListView>,
  )
  expect(screen.getByText('Choose a tool')).toBeDefined()
  rerender(
    <McpListView
      label="Tools"
      one="a tool"
      list={list}
      items={items}
      current={undefined}
      missing="no-such-tool"
      onOpen={() => undefined}
    >
      {null}
    </McpListView>,
  )
  expect(screen.getByText('Not found')).toBeDefined()
  expect(document.body.textContent).toContain('The server does not list no-such-tool.')
})
