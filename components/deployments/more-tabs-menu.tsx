'use client'
import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Menu, MenuItem } from '@/components/ui/menu'

type Props = { trigger: ReactNode; parts: readonly { label: string; href: Route; isCurrent: boolean }[] }

export const MoreTabsMenu = ({ trigger, parts }: Props) => (
  <Menu label="More pages" trigger={trigger} align="start" defaultOpen>
    {parts.map(({ label, href, isCurrent }) => (
      <MenuItem key={label} asChild>
        <Link href={href} aria-current={isCurrent ? 'page' : undefined} className="aria-[current=page]:font-medium">
          {label}
        </Link>
      </MenuItem>
    ))}
  </Menu>
)
