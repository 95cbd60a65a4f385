import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { confirmAuditExport, saveAuditRetention } from '@/lib/actions/retention'
import { type AuditKept, AuditRetention } from './audit-retention'

vi.mock('@/lib/actions/retention', () => ({ confirmAuditExport: vi.fn(), saveAuditRetention: vi.fn() }))
afterEach(cleanup)

const kept: AuditKept = {
  ...{ days: null, rows: 1200, bytes: 700_000, recentBytes: 70_000, recentDays: 7 },
  ...{ oldestAt: '2026-01-01T00:00:00.000Z', dueAt: null, exportedThrough: 0, exportedAt: null, mayChange: true },
}
const shown = () => screen.getByRole('region', { name: 'Audit trail' }).textContent
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

test('says what the trail takes, how it grows and why nothing is removed', () => {
  render(<AuditRetention kept={kept} />)
  expect(shown()).toMatch(
    /For good.*1,200.*700 kB.*≈ 10 kB more a day, without a limit.*Nothing yet.*None: all entries/,
  )
})

test('an empty limit keeps all entries, and another one waits for an export', async () => {
  vi.mocked(saveAuditRetention).mockResolvedValue({ ok: true, data: { ...kept, days: 90 } })
  render(<AuditRetention kept={kept} />)
  press('Save')
  await vi.waitFor(() => expect(shown()).toMatch(/90 days, if exported.*After an export of the oldest entry/))
  type('Days', '90')
  press('Save')
  await vi.waitFor(() => expect(saveAuditRetention).toHaveBeenCalledTimes(2))
  expect(vi.mocked(saveAuditRetention).mock.calls).toEqual([[{ days: null }], [{ days: 90 }]])
})

test('a confirmed export shows when entries are removed next, a wrong checksum what is wrong', async () => {
  const message = 'Check the file.'
  const fields = [{ path: ['sha256'], message }]
  vi.mocked(confirmAuditExport).mockResolvedValueOnce({
    ok: false,
    error: { code: 'invalid', message: 'No export has this checksum.', fields, requestId: '' },
  })
  render(<AuditRetention kept={{ ...kept, days: 90 }} />)
  expect(screen.getByRole('link', { name: 'Download new entries' }).getAttribute('href')).toBe(
    '/api/export/audit-trail',
  )
  type('SHA-256 of the stored file', 'abc')
  press('Confirm export')
  expect(await screen.findByText(message)).toBeTruthy()
  vi.mocked(confirmAuditExport).mockResolvedValueOnce({
    ok: true,
    data: {
      ...{ ...kept, days: 90, exportedThrough: 1100, exportedAt: '2026-01-20T00:00:00.000Z' },
      dueAt: '2026-04-02T00:00:00.000Z',
    },
  })
  press('Confirm export')
  await vi.waitFor(() => expect(shown()).toMatch(/Up to entry 1,100.*Within an hour of 2026-04-02 00:00 UTC/))
  expect(screen.queryByText(message)).toBeNull()
})

test('who may not change it sees no fields', () => {
  render(<AuditRetention kept={{ ...kept, mayChange: false }} />)
  expect(screen.queryAllByRole('textbox')).toEqual([])
  expect(screen.queryAllByRole('button')).toEqual([])
  expect(screen.queryByRole('link')).toBeNull()
  expect(shown()).toContain('set by administrators of the console')
})
