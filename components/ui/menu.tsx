'use client'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

type MenuProps = { trigger: ReactNode; label: string; align?: 'start' | 'end'; children: ReactNode }

/** A menu below its trigger. `trigger` is one element that takes a ref, such as a Button. */
export const Menu = ({ trigger, label, align = 'end', children }: MenuProps) => (
  <DropdownMenu.Root>
    <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align={align}
        sideOffset={4}
        aria-label={label}
        className="z-50 max-h-[70vh] min-w-44 overflow-y-auto rounded-md border border-line bg-panel p-1 shadow-pop"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
)

const itemStyle =
  'flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover [&_svg]:size-3.5 [&_svg]:text-ink-3'

type MenuItemProps = { children: ReactNode; onSelect?: () => void; asChild?: boolean; disabled?: boolean; tone?: 'danger'; title?: string }

export const MenuItem = ({ tone, ...rest }: MenuItemProps) => (
  <DropdownMenu.Item className={cn(itemStyle, tone === 'danger' && 'text-error')} {...rest} />
)
export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="px-2 py-1 text-2xs text-ink-3">{children}</DropdownMenu.Label>
)
export const MenuSeparator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />
