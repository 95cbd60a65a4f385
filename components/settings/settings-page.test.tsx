import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { SettingsPage } from './settings-page'
import type { WorkspaceShown } from './types'

vi.mock('next/navigation', () => ({ useRouter: () => ({ refresh: () => undefined }) }))
vi.mock('@/lib/actions/workspaces', () => ({ deleteWorkspace: vi.fn(), testControlPlane: vi.fn() }))
afterEach(cleanup)

const workspace = {
  ...{ slug: 'local', name: 'This machine', kind: 'embedded', source: 'environment', baseUrl: 'http://127.0.0.1:1' },
  ...{ allowedOrigins: [], dialect: 'auto' },
} as unknown as WorkspaceShown

test('a page that the role may not open is no link, and says why', () => {
  const show = (canAdminister: boolean) =>
    render(
      <Rights canRun canAdminister={canAdminister}>
        <SettingsPage current={workspace} servers={[]} mayChange={false} />
      </Rights>,
    )
  show(true)
  expect(screen.getByRole('link', { name: 'Open retention' })).toBeDefined()
  cleanup()
  show(false)
  expect(screen.queryByRole('link', { name: 'Open retention' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Open retention' }).title).toMatch(/admin role/)
  expect(screen.getByRole('link', { name: 'Open sharing' })).toBeDefined()
})
