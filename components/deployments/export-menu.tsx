'use client'
import type { ReactNode } from 'react'
import { Menu, MenuItem, MenuLabel } from '@/components/ui/menu'
import { withBasePath } from '@/lib/base-path'
import { EXPORT_CAP } from '@/lib/format/csv'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'

type ExportMenuProps = { workspace: string; query: Record<string, string>; trigger: ReactNode }

const FILES: [label: string, hint: string, query: Record<string, string>][] = [
  ['CSV for Excel', 'with a byte order mark, which Excel needs for non-English text', { format: 'csv', bom: '1' }],
  ['CSV, plain', 'UTF-8, for other programs', { format: 'csv', bom: '0' }],
  ['JSON', 'one object with all rows', { format: 'json' }],
]

export const ExportMenu = ({ workspace, query, trigger }: ExportMenuProps) => (
  <Menu trigger={trigger} label="Export" defaultOpen>
    {FILES.map(([label, hint, format]) => (
      <MenuItem key={label} asChild>
        <a href={withBasePath(routes.deploymentsFile(workspace, { ...query, ...format }))} download>
          <span>
            {label}
            <span className="block text-ink-3 text-xs">{hint}</span>
          </span>
        </a>
      </MenuItem>
    ))}
    <MenuLabel>
      Everything that matches the filters, at most {count(EXPORT_CAP)} rows.
      <br />
      In CSV, formulas are prefixed with an apostrophe and invisible characters are written by name. JSON is exact.
    </MenuLabel>
  </Menu>
)
