import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { confirmAuditExport, saveAuditLimits, saveAuditRetention } from '@/lib/actions/retention'
import type { AuditKept } from '@/lib/contracts/audit/limits'
import { AuditRetention } from './audit-retention'

vi.mock('@/lib/actions/retention', () => ({
  ...{ confirmAuditExport: vi.fn(), saveAuditLimits: vi.fn(), saveAuditRetention: vi.fn() },
}))
afterEach(cleanup)

const UNLIMITED = { days: null, maxBytes: null }
const part = {
  ...{ ...UNLIMITED, rows: 1200, bytes: 700_000, recentBytes: 70_000, recentDays: 7 },
  ...{ oldest: { seq: 40, at: Date.parse('2026-01-01T00:00:00.000Z') }, dueAt: null },
}
const kept: AuditKept = {
  ...{ own: UNLIMITED, workspace: part, rest: { ...part, rows: 31 }, trail: { rows: 4321, bytes: 3_000_000 } },
  ...{ exportedThrough: 0, exportedAt: null, mayChange: true },
}
const OWN = 'Audit trail'
const ALL = 'Audit trail of the console'
const region = (name: string) => screen.getByRole('region', { name })
const type = (name: string, label: string, value: string) =>
  fireEvent.change(within(region(name)).getByLabelText(label), { target: { value } })
const press = (name: string, button: string) =>
  fireEvent.click(within(region(name)).getByRole('button', { name: button }))
const show = (change: Partial<AuditKept> = {}) => render(<AuditRetention workspace="w" kept={{ ...kept, ...change }} />)
const shown = (change: Partial<AuditKept['workspace']>, exportedThrough = 40) => {
  cleanup()
  show({ workspace: { ...part, ...change }, exportedThrough })
  return region(OWN).textContent
}

test('says what the entries of the workspace take, how they grow and why nothing is removed', () => {
  show()
  expect(region(OWN).textContent).toMatch(
    /console's limit: none.*For good.*1,200.*700 kB.*≈ 10 kB more a day, without a limit.*None: all entries/,
  )
  expect(region(ALL).textContent).toMatch(/Entries31 about no workspace.*4,321 entries, 3.0 MB on disk.*Nothing yet/)
})

test('says when entries are removed next', () => {
  expect(shown({ days: 90 }, 39)).toMatch(/90 days, if exported.*After an export of the oldest entry/)
  expect(shown({ maxBytes: 800_000 })).toMatch(/800 kB at most, if exported.*10 days until.*When the size limit/)
  const dueAt = Date.parse('2026-04-02T00:00:00.000Z')
  expect(shown({ days: 90, maxBytes: 9e6, dueAt })).toMatch(
    /90 days, 9.0 MB at most.*Within an hour of 2026-04-02 00:00 UTC/,
  )
  expect(shown({ days: 90, oldest: null })).toContain('there are no entries')
})

test('each form saves its own limits, and an empty field is none', async () => {
  const own = { days: 90, maxBytes: 2_500_000 }
  vi.mocked(saveAuditLimits).mockResolvedValue({ ok: true, data: { ...kept, own, workspace: { ...part, ...own } } })
  vi.mocked(saveAuditRetention).mockResolvedValue({ ok: true, data: { ...kept, rest: { ...part, days: 365 } } })
  show()
  type(OWN, 'Days', '90')
  type(OWN, 'Size in MB', '2.5')
  press(OWN, 'Save')
  await vi.waitFor(() => expect(region(OWN).textContent).toContain('90 days, 2.5 MB at most'))
  type(ALL, 'Days', '365')
  press(ALL, 'Save')
  await vi.waitFor(() => expect(region(OWN).textContent).toContain("console's limit: 365 days"))
  expect(vi.mocked(saveAuditLimits).mock.calls).toEqual([[{ workspace: 'w', ...own }]])
  expect(vi.mocked(saveAuditRetention).mock.calls).toEqual([[{ workspace: 'w', days: 365, maxBytes: null }]])
})

test('a confirmed export is shown, and a wrong checksum says what is wrong', async () => {
  const message = 'Check the file.'
  const fields = [{ path: ['sha256'], message }]
  vi.mocked(confirmAuditExport).mockResolvedValueOnce({
    ok: false,
    error: { code: 'invalid', message: 'No export has this checksum.', fields, requestId: '' },
  })
  show()
  expect(screen.getByRole('link', { name: 'Download new entries' }).getAttribute('href')).toBe(
    '/api/export/audit-trail',
  )
  type(ALL, 'SHA-256 of the stored file', 'abc')
  press(ALL, 'Confirm export')
  expect(await screen.findByText(message)).toBeTruthy()
  vi.mocked(confirmAuditExport).mockResolvedValueOnce({
    ok: true,
    data: { ...kept, exportedThrough: 1100, exportedAt: '2026-01-20T00:00:00.000Z' },
  })
  press(ALL, 'Confirm export')
  await vi.waitFor(() => expect(region(ALL).textContent).toContain('Up to entry 1,100'))
  expect(screen.queryByText(message)).toBeNull()
})

test('who may not change the limits of the console sees only those of the workspace as fields', () => {
  show({ mayChange: false })
  expect(screen.getAllByRole('textbox')).toHaveLength(2)
  expect(within(region(ALL)).queryAllByRole('textbox')).toEqual([])
  expect(screen.queryByRole('link')).toBeNull()
  expect(region(ALL).textContent).toContain('set by administrators of the console')
})
