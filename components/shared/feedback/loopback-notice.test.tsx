import { cleanup, render, screen } from '@testing-library/react'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '../layout/rights'
import { LoopbackMark, LoopbackNotice } from './loopback-notice'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const HERE = 'http://127.0.0.1:4321/agents/one'

function shows(url: string, { console: hostname = 'localhost', isInContainer = false } = {}): boolean {
  vi.stubGlobal('location', { ...window.location, hostname })
  const { container } = render(
    <Rights canRun canAdminister isInContainer={isInContainer}>
      <LoopbackNotice url={url} />
      <LoopbackMark url={url} />
    </Rights>,
  )
  const { length } = container.querySelectorAll('a')
  expect([0, 2]).toContain(length)
  cleanup()
  return length > 0
}

test('a reader on the same machine sees no warning', () => {
  for (const name of ['localhost', '127.0.0.1', '127.0.0.2', '[::1]', 'pilot.localhost'])
    expect(shows(HERE, { console: name }), name).toBe(false)
})

test('a reader of another machine, and of a console in a container, is warned of a loopback address', () => {
  for (const url of [HERE, 'http://localhost:4321/agents/one', 'http://[::1]:4321/agents/one']) {
    expect(shows(url, { console: 'pilot.example.com' }), url).toBe(true)
    expect(shows(url, { console: '192.0.2.7' }), url).toBe(true)
    expect(shows(url, { isInContainer: true }), url).toBe(true)
  }
})

test('an address that others reach has no warning', () => {
  for (const url of ['https://agents.example.com/one', 'http://10.0.0.7:4000/agents/one', 'no address']) {
    expect(shows(url, { console: 'pilot.example.com' }), url).toBe(false)
    expect(shows(url, { isInContainer: true }), url).toBe(false)
  }
})

test('the warning links to the guide', () => {
  vi.stubGlobal('location', { ...window.location, hostname: 'pilot.example.com' })
  render(<LoopbackNotice url={HERE} />)
  expect(screen.getByRole('link', { name: 'Call the agents from elsewhere' }).getAttribute('href')).toBe(
    '/docs/operate#call-the-agents-from-elsewhere',
  )
  // The server does not know the browser's address.
  expect(renderToString(<LoopbackNotice url={HERE} />)).toBe('')
})
