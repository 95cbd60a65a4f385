import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Breadcrumb } from './breadcrumb'

let path = '/'
vi.mock('next/navigation', () => ({ usePathname: () => path, useRouter: () => ({ prefetch: () => undefined }) }))
afterEach(cleanup)

const crumbsAt = (at: string) => {
  path = at
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Breadcrumb workspace="local" />
    </QueryClientProvider>,
  )
  return within(screen.getByRole('navigation', { name: 'Breadcrumb' }))
    .getAllByRole('link')
    .map((link) => link.textContent)
}

test.each([
  ['/local/deployments/abc/settings/secrets', ['Deployments', 'abc', 'Settings', 'Secrets']],
  ['/local/deployments/abc/assistants/__proto__/edit', ['Deployments', 'abc', 'Assistants', 'Assistant __proto_']],
  ['/local/deployments/abc/assistants/constructor', ['Deployments', 'abc', 'Assistants', 'Assistant construc']],
  ['/local/deployments/abc/chat/3a26ea62-0000', ['Deployments', 'abc', 'Chat']],
  ['/local/deployments/abc/__proto__/x', ['Deployments', 'abc']],
  // On a small screen the last one stands alone.
  ['/local/deployments/abc/runs/3a26ea62-0000', ['Deployments', 'abc', 'Runs', 'Run 3a26ea62']],
  ['/local/runs/compare', ['Runs', 'Compare']],
  ['/local/experiments/3a26ea62-0000', ['Runs', 'Experiments', 'Results']],
  ['/local/settings/listeners', ['Settings', 'Listeners']],
  ['/local/settings/sharing', ['Settings', 'Sharing']],
  ['/local/settings/constructor', ['Settings']],
])('the path %s shows %j', (at, crumbs) => expect(crumbsAt(at)).toEqual(crumbs))
